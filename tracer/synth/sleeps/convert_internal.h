/*
 * gatectl convert, inside: convert.c leads from the first run to the script. runs.c makes runs and
 * compares their outcomes. orders.c learns the orders that sleeps make (by own.c, deeds.c, polls.c
 * and given.c), confirm.c compares them with other runs. choose.c finds out what the script needs,
 * fresh.c runs it as its user will, words.c and script.c write it, refusal.c says why there is none.
 */
#ifndef GATECTL_SYNTH_SLEEPS_CONVERT_INTERNAL_H
#define GATECTL_SYNTH_SLEEPS_CONVERT_INTERNAL_H

#include "tracer/synth/sleeps/convert.h"
#include "tracer/synth/location.h"
#include "tracer/synth/plan/plan.h"

/* Of the time that is left, for finding the script; the rest is for verifying it. */
#define CONVERT_CHOOSE_PART 0.75

/* ---- runs.c: 1 the outcome is the test's own, 0 it is not, -1 stop ---- */

/* Finds out from the first runs what the outcome is. */
int convert_baseline(struct convert *c);
/* The record belongs to the convert. NULL: being watched changes the outcome. */
struct convert_record *convert_watch_run(struct convert *c);
/* Was the outcome another one while sleeps were hastened, so that they no longer are? */
bool convert_has_slowed(const struct convert *c);
/* Frees the records of all watched runs. */
void convert_forget_runs(struct convert *c);
/* One run with this script. The caller frees the record. */
int convert_alone(struct convert *c, const char *script, struct convert_record *record);
int convert_use_script(struct convert *c, const char *text);
/* The step that runs has so long that most tests are decided within three runs and half a minute. */
void convert_hurry(struct convert *c);
/* As many runs under the script, with nothing left out. */
struct oracle_question convert_question(struct convert *c, unsigned long runs);
int convert_judge(const struct oracle_question *q, struct run_result *r);
int convert_ask(struct convert *c, const struct oracle_question *q);
int convert_try(struct convert *c, const char *script, unsigned long runs);

/* ---- fresh.c ---- */

/* So many runs of the script that is written, which has an expect, each by a gatectl of its own; in
   half of them every processor is busy. As convert_try(). */
int convert_fresh(struct convert *c, unsigned long runs);

/* ---- choose.c: 0, or -1 stop ---- */

/* Leaves alone the sites that cannot be converted, and drops the orders that the outcome does not
   depend on. */
int convert_choose(struct convert *c);
/* Takes back the orders that were dropped as superfluous: that may have been luck. False: there
   were none. */
bool convert_take_back(struct convert *c);
/* With the plan's script; 1, 0 or -1. */
int convert_plan_same(struct convert *c, unsigned long runs);
/* The same, and whichever thread begins late. */
int convert_plan_holds(struct convert *c, unsigned long runs);
/* Adds site by site, while the others sleep: a site whose gates spoil the outcome in so many runs
   is left alone. */
int convert_one_by_one(struct convert *c, int runs);
/* There is no time left: the sites that were not tried yet keep their sleeps. */
void convert_leave_untried(struct convert *c);

/* ---- refusal.c: set the error, unless there is one already; -1 ---- */

/* The test asks for the time before and after one of its sleeps of the run. False: it does not. */
bool convert_by_clock(struct convert *c, const struct convert_record *r);
int convert_not_learned(struct convert *c); /* it cannot be seen what the sleeps order */
int convert_none(struct convert *c);	    /* nothing can be converted */
int convert_unverified(struct convert *c);  /* ... no script gives the test's outcome */
int convert_late(struct convert *c);	    /* ... there was no time for it */
int convert_slower(struct convert *c);	    /* the script takes longer than the sleeps */

/* ---- orders.c ---- */

void convert_plan_fini(struct convert_plan *p);
/* Learns the sites and orders from a run with `lines`. The record has to outlive the plan. */
void convert_learn(struct convert_plan *p, const struct convert_record *r);
/* The site's number; sites.count: it is none of them. */
size_t orders_site(const struct convert_plan *p, const struct convert_sleep *s);
/* Which sleep of its thread at its site it is, from 1. */
unsigned long orders_ordinal(const struct convert_plan *p, const struct convert_record *r,
			     const struct convert_sleep *s);
/* How many events the other thread had when the sleep ended: the last of them is what was waited for
   (*blocked: in which it was blocked). */
size_t orders_last_event(const struct convert_record *r, const struct convert_sleep *s,
			 const struct convert_other *other, bool *blocked);
/* Does another thread pass the line, too? */
bool orders_is_shared(const struct convert_record *r, size_t thread, const struct convert_line *at);

/* ---- given.c ---- */

/* "worker#1" and "worker#2" run the same routine; so do "p1/main" and "p2/main". */
bool given_are_alike(const char *a, const char *b);
/* Is the other thread's end waited for before the sleep begins, by pthread_join? */
bool given_joined(const struct convert_record *r, const struct convert_sleep *s, size_t other);
/* Does what thread `from` did at this time come before the sleep ends whatever the sleep does? */
bool given_is(const struct convert_record *r, const struct convert_sleep *s, size_t from,
	      uint64_t t_us);

/* ---- confirm.c ---- */

/* Compares another run: drops orders that it does not show, and leaves alone a site that sleeps
   another number of times, since it waits for something itself. False: the run differed. */
bool convert_confirm(struct convert_plan *p, const struct convert_record *r);
/* Takes from a run with convert_probe's script which arrivals the orders mean. False: others than
   before. */
bool convert_count(struct convert_plan *p, const struct convert_record *r);

/* Does the run have no timing that cannot be hastened: timers, signals that end a sleep? */
bool convert_can_hasten(const struct convert_record *r);
/* After a run with the site elided: why it slept even so; NULL: it did not. */
const char *convert_still_sleeps(const struct convert_plan *p, const struct convert_record *r,
				 size_t site);
/* ... why it came by so much more often. */
const char *convert_why_loop(unsigned long times, unsigned long clock_reads);
void convert_leave(struct convert_site *site, const char *why);
/* Does convert_probe's script count the arrivals of this order? */
bool convert_is_counted(const struct convert_plan *p, const struct convert_order *o);
bool convert_is_left(const struct convert_plan *p, const struct convert_order *o);
/* Marks orders that others imply as superfluous. */
void convert_reduce(struct convert_plan *p);

/* ---- words.c, script.c ---- */

/* Fills in locations as a person would write them. A site without one is left alone. */
void convert_words(struct convert_plan *p, struct modules *symbols, struct module *program);
/* Adds what the order waits for, or (`to`) holds back, as an identifier. */
void words_of_event(const struct convert_plan *p, const struct convert_order *o, bool to,
		    struct str *out);
/* The plan of the orders that are kept, as they are now: `done` of each is its index. */
void convert_gates(const struct convert_plan *p, struct gate_plan *out);
/* Writes a script that only counts arrivals: at the site, */
void convert_probe_site(const struct convert_site *site, struct str *out);
/* ... or at two places for each order, one for each end. */
void convert_probe(const struct convert_plan *p, struct str *out);
/* Writes a script in which only this site does not sleep. */
void convert_elide_only(const struct convert_plan *p, size_t site, struct str *out);
/* Adds to the script the places that the thread the order waits for comes to before that, but for
   the first `skip`: a trial can hold it back there. `r`: the run that was learnt from. How many. */
size_t convert_earlier(const struct convert_plan *p, const struct convert_record *r,
		       const struct convert_order *o, size_t skip, struct str *out);
void convert_script(const struct convert_plan *p, const char *head, struct str *out);

/* ---- own.c ---- */

/* After the run: gives each sleep its level, and drops events outside the test's own code. */
void own_settle(struct convert_record *r);
bool own_is(const struct convert_record *r, const char *file);
/* Was its time up, in code that a script can name? */
bool own_counts(const struct convert_sleep *s);
const struct convert_line *own_line(const struct convert_sleep *s);

/* ---- polls.c ---- */

enum { POLLS_MOST = 60 }; /* a line that sleeps more often does not mean one order by it */
/* True if this is a sleep of a loop like while (!ready) usleep(1000). How often it sleeps is left to
   chance, even if it was once in all runs that were seen. Adds to `why` what it waits for, and
   where; NULL: not wanted. */
bool polls_is(const struct convert_record *r, const struct convert_sleep *s, struct str *why);
/* Is the line part of a loop in which the thread checks again and again? */
bool polls_at(const struct convert_record *r, size_t thread, const struct convert_line *at);
/* Why the sleeps of that line are left alone: `otherwise`, or that the loop asks the clock. */
const char *polls_why(const struct convert_record *r, const struct convert_line *at,
		      const char *otherwise);
/* Is the clock asked before and after a sleep of that line? */
bool polls_measures(const struct convert_record *r, const struct convert_line *at);
/* ... why it sleeps though it is elided. */
const char *polls_again(const struct convert_sleep *s);

/* ---- deeds.c ---- */

bool deeds_same_line(const struct convert_line *a, const struct convert_line *b);
/* ... and in the same function? */
bool deeds_same_place(const struct convert_line *a, const struct convert_line *b);
/* Is one of the thread's events from..to-1 on that line? */
bool deeds_passes(const struct convert_thread *t, const struct convert_line *at, size_t from,
		  size_t to);
/* Is it a brace, or nothing? Nobody would name that as something that has happened. */
bool deeds_is_empty(struct modules *symbols, const struct convert_line *at);
/* True if the line begins with "while (...)" and, if `with_body`, has the body, too. Adds to `until`
   what the loop waits for, if all of the condition is on the line; NULL: not wanted. */
bool deeds_is_while(struct modules *symbols, const struct convert_line *at, bool with_body,
		    struct str *until);
/* Has the thread, with `now` events, executed the statement of its event? */
bool deeds_is_done(const struct convert_record *r, const struct convert_thread *t, size_t event,
		   size_t now);
/* For a thread that has ended: was nothing left to do after the last of `n` events? */
bool deeds_is_all(const struct convert_record *r, const struct convert_thread *t, size_t n);
/* How many of the first `n` events there are up to the last that is executed and has a location. 0:
   none is. */
size_t deeds_last(const struct convert_record *r, const struct convert_thread *t, size_t n,
		  size_t now);

#endif
