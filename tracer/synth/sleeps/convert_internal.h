/* Internals of gatectl convert; README.md lists the stages and their files. */
#ifndef GATECTL_SYNTH_SLEEPS_CONVERT_INTERNAL_H
#define GATECTL_SYNTH_SLEEPS_CONVERT_INTERNAL_H

#include "tracer/synth/sleeps/convert.h"
#include "tracer/synth/location.h"
#include "tracer/synth/plan/plan.h"

/* Part of the remaining time for finding the script; the rest verifies it. */
#define CONVERT_CHOOSE_PART 0.75

/* ---- runs.c: return 1 if the outcome is the unchanged test's, 0 if not, -1 to stop ---- */

/* Runs the unchanged test a few times and records its outcome. */
int convert_baseline(struct convert *c);
/* Makes a watched run. The record belongs to the convert. Returns NULL if being watched changes the
   outcome, or to stop. */
struct convert_record *convert_watch_run(struct convert *c);
/* True if the test is long enough to hasten its sleeps, or to let them end at rest. */
bool convert_is_long(const struct convert *c);
/* Frees the records of all watched runs. */
void convert_forget_runs(struct convert *c);
/* Makes one run with this script. The caller frees the record. */
int convert_alone(struct convert *c, const char *script, struct convert_record *record);
/* Makes `text` the script of the runs that follow. Returns 0, or -1 on error. */
int convert_use_script(struct convert *c, const char *text);
/* Gives the stage that begins this part of the time left: of about three runs and half a minute,
   within which most tests are decided, or of all if the caller gave a time. */
void convert_grant(struct convert *c, double part);
/* True once the time within which most tests are decided is over: no stage is tried again. */
bool convert_is_late(const struct convert *c);
/* Returns the seconds that the stages had together. */
double convert_spent(const struct convert *c);
/* Returns a question of `runs` runs under the current script, with all its gates. */
struct oracle_question convert_question(struct convert *c, unsigned long runs);
/* Judge of convert_question(): compares the run's outcome with the unchanged test's. */
int convert_judge(const struct oracle_question *q, struct run_result *r);
/* Decides by one run of the current script whether it lets other sleeps and time-outs end at rest:
   they would take longer than the program computes. Returns 0, or -1 to stop. */
int convert_till_rest(struct convert *c);
/* Makes the runs of the question. Returns 1, 0 or -1 as oracle_ask(). */
int convert_ask(struct convert *c, const struct oracle_question *q);
/* Makes `runs` runs with this script. Returns 1, 0 or -1 as oracle_ask(). */
int convert_try(struct convert *c, const char *script, unsigned long runs);

/* ---- fresh.c ---- */

/* Makes `runs` runs of the current script, which has an expect, each in a gatectl process of its
   own; all processors are busy in the second half, and one more run has one processor. Another
   script may be in use afterwards. Returns as convert_try(). */
int convert_fresh(struct convert *c, unsigned long runs);

/* ---- choose.c: return 0, or -1 to stop ---- */

/* Leaves the sites that cannot be converted, and drops the orders that the outcome does not depend
   on. */
int convert_choose(struct convert *c);
/* Restores the orders that were dropped: their trials may have passed by chance. Returns false if
   there were none. */
bool convert_take_back(struct convert *c);
/* Makes `runs` runs with the plan's script. Returns 1, 0 or -1 as convert_try(). */
int convert_plan_same(struct convert *c, unsigned long runs);
/* Makes the same runs, then one for each thread of a routine that starts late. Returns 1, 0 or -1
   as convert_try(). */
int convert_plan_holds(struct convert *c, unsigned long runs);
/* Converts the sites one by one while the others sleep. A site whose gates change the outcome in
   one of `runs` runs keeps its sleep. */
int convert_one_by_one(struct convert *c, int runs);
/* Time ran out: leaves the sites without a kept order, or with `all` each one. */
void convert_leave_untried(struct convert *c, bool all);
/* True if sleeps for which no gates were found can end at rest, without any gate. */
bool convert_can_rest(const struct convert *c);

/* ---- refusal.c: set the error unless it is set; return -1 ---- */

/* Returns true, with the error set, if the test reads the clock before and after a sleep. */
bool convert_by_clock(struct convert *c, const struct convert_record *r);
/* the orders that the sleeps make could not be observed */
int convert_not_learned(struct convert *c);
int convert_none(struct convert *c);	   /* no sleep can be converted */
int convert_unverified(struct convert *c); /* no script gives the test's outcome in every run */
int convert_late(struct convert *c);	   /* time ran out before a script was verified */
int convert_slower(struct convert *c);	   /* the script takes longer than the sleeps */

/* ---- orders.c ---- */

/* Frees what the plan owns, and clears it. */
void convert_plan_fini(struct convert_plan *p);
/* Learns the sites and orders from a run with `lines`. The record must outlive the plan. */
void convert_learn(struct convert_plan *p, const struct convert_record *r);
/* Returns the index of the sleep's site, or sites.count if it has none. */
size_t orders_site(const struct convert_plan *p, const struct convert_sleep *s);
/* Returns the sleep's number among those of its thread at its site, from 1. */
unsigned long orders_ordinal(const struct convert_plan *p, const struct convert_record *r,
			     const struct convert_sleep *s);
/* Returns how many events the other thread had when the sleep ended: the last of them is the event
   of the order. Sets *blocked if the thread was blocked in that event. */
size_t orders_last_event(const struct convert_record *r, const struct convert_sleep *s,
			 const struct convert_other *other, bool *blocked);
/* True if a thread other than `thread` passes the line. */
bool orders_is_shared(const struct convert_record *r, size_t thread, const struct convert_line *at);

/* ---- given.c ---- */

/* True if threads of both ids run the same routine: worker#1 and worker#2, p1/main and p2/main. */
bool given_are_alike(const char *a, const char *b);
/* True if pthread_join waits for the other thread's end before the sleep begins. */
bool given_joined(const struct convert_record *r, const struct convert_sleep *s, size_t other);
/* True if the program itself orders what thread `from` did at this time before the sleep's end. */
bool given_is(const struct convert_record *r, const struct convert_sleep *s, size_t from,
	      uint64_t t_us);

/* ---- confirm.c ---- */

/* Compares another run: drops orders that it does not show. Leaves a site with another number of
   sleeps, since such a site waits for something itself. Returns false if the run differed. */
bool convert_confirm(struct convert_plan *p, const struct convert_record *r);
/* Takes from a run with convert_probe()'s script which arrivals the orders mean. Returns false if
   they are others than before. */
bool convert_count(struct convert_plan *p, const struct convert_record *r);

/* Returns why the site slept in a run that elides it, or NULL if it did not. */
const char *convert_still_sleeps(const struct convert_plan *p, const struct convert_record *r,
				 size_t site);
/* Returns why a loop passed its line more often in a run that elides its sleep. */
const char *convert_why_loop(unsigned long times, unsigned long clock_reads);
/* Lets the site keep its sleep; copies `why`, unless it has a reason already. */
void convert_leave(struct convert_site *site, const char *why);
/* True if convert_probe()'s script counts the arrivals of this order. */
bool convert_is_counted(const struct convert_plan *p, const struct convert_order *o);
/* True if the script does not have the order. */
bool convert_is_left(const struct convert_plan *p, const struct convert_order *o);
/* Drops orders that other orders imply. */
void convert_reduce(struct convert_plan *p);

/* ---- words.c, script.c ---- */

/* Sets the locations of sites and orders. A site without a location is left. */
void convert_words(struct convert_plan *p, struct modules *symbols, struct module *program);
/* Appends an identifier for the order's event or, with `to`, for the end of the sleep. */
void words_of_event(const struct convert_plan *p, const struct convert_order *o, bool to,
		    struct str *out);
/* Makes a plan of the orders that are kept; `done` and `held` are the index in p->orders. */
void convert_gates(const struct convert_plan *p, struct gate_plan *out);
/* Writes a script that only counts the arrivals at the site. */
void convert_probe_site(const struct convert_site *site, struct str *out);
/* Writes a script that only counts arrivals at two places for each order: event and sleep. */
void convert_probe(const struct convert_plan *p, struct str *out);
/* Appends the statements that elide the sleeps of this site. */
void convert_elide_only(const struct convert_plan *p, size_t site, struct str *out);
/* Appends the places that from_thread passes before the order's event, except the first `skip`: a
   trial can hold the thread there. `r` is the run that was learned from. Returns their number. */
size_t convert_earlier(const struct convert_plan *p, const struct convert_record *r,
		       const struct convert_order *o, size_t skip, struct str *out);
/* Appends `head` and the plan's script. */
void convert_script(const struct convert_plan *p, const char *head, struct str *out);

/* ---- own.c ---- */

/* Sets each sleep's level after the run, and drops events outside the test's own code. */
void own_settle(struct convert_record *r);
/* True if the file belongs to the test, not to a library linked into it. */
bool own_is(const struct convert_record *r, const char *file);
/* True if the sleep timed out, in code that a script can name. */
bool own_counts(const struct convert_sleep *s);
/* Returns the line of the call that sleeps. */
const struct convert_line *own_line(const struct convert_sleep *s);

/* ---- polls.c ---- */

enum { POLLS_MOST = 60 }; /* a line that sleeps more often makes no single order */
/* True if the sleep is part of a loop like while (!ready) usleep(1000): its number of rounds is
   chance, even if all watched runs had one. Appends to `why`, unless it is NULL, what the loop
   waits for and where. */
bool polls_is(const struct convert_record *r, const struct convert_sleep *s, struct str *why);
/* True if the line is part of a loop in which the thread checks again and again. */
bool polls_at(const struct convert_record *r, size_t thread, const struct convert_line *at);
/* Returns why the sleeps of the line are left: that their loop reads the clock, or `otherwise`. */
const char *polls_why(const struct convert_record *r, const struct convert_line *at,
		      const char *otherwise);
/* True if the clock is read before and after a sleep of the line. */
bool polls_measures(const struct convert_record *r, const struct convert_line *at);
/* Returns why the sleep occurred although its site was elided. */
const char *polls_again(const struct convert_sleep *s);

/* ---- deeds.c ---- */

/* True if both are the same line of the same file. */
bool deeds_same_line(const struct convert_line *a, const struct convert_line *b);
/* True if both are the same line of the same function. */
bool deeds_same_place(const struct convert_line *a, const struct convert_line *b);
/* True if one of the thread's events from..to-1 is on the line. */
bool deeds_passes(const struct convert_thread *t, const struct convert_line *at, size_t from,
		  size_t to);
/* True if the line is a brace or another line without an action that an event could name. */
bool deeds_is_empty(struct modules *symbols, const struct convert_line *at);
/* True if the line begins with "while (...)" and, if `with_body`, has the body, too. Appends to
   `until`, unless it is NULL, what the loop waits for if the line has the whole condition. */
bool deeds_is_while(struct modules *symbols, const struct convert_line *at, bool with_body,
		    struct str *until);
/* True if the thread, with `now` events, has executed the statement of its event. */
bool deeds_is_done(const struct convert_record *r, const struct convert_thread *t, size_t event,
		   size_t now);
/* True if a thread that has ended had nothing left to do after its first `n` events. */
bool deeds_is_all(const struct convert_record *r, const struct convert_thread *t, size_t n);
/* Returns the number of events up to the last of the first `n` that is executed and has a location;
   0 if there is none. */
size_t deeds_last(const struct convert_record *r, const struct convert_thread *t, size_t n,
		  size_t now);

#endif
