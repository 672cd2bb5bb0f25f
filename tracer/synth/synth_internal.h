/* Makes the script of a failure. attempts.c tries plans by the oracle; recorded.c prepares the
   schedule; wording.c writes the text; oracle/ tries scripts and drops orders; failures.c does it
   for each failure. */
#ifndef GATECTL_SYNTH_SYNTH_INTERNAL_H
#define GATECTL_SYNTH_SYNTH_INTERNAL_H

#include "tracer/search/runs/runs.h"
#include "tracer/synth/plan/plan.h"
#include "tracer/synth/synth.h"

/* How the program ends. A livelock or hang shows only by the length of a run. */
enum synth_ends { SYNTH_ENDS, SYNTH_LIVELOCK, SYNTH_HANGS };

enum synth_expects {
	SYNTH_FAILURE, /* the script expects the failure */
	/* The script expects the outcome, in place of the user's own script, whose expect
	   failed. */
	SYNTH_CAME,
	/* The script expects nothing: the user's own script expects, and fails. */
	SYNTH_UNMET,
};

/* Outcomes of the schedules that were searched under the gates. */
enum synth_outcomes {
	SYNTH_UNKNOWN, /* none was searched */
	SYNTH_ONE,     /* the failure alone */
	SYNTH_OTHERS,
};

struct synth {
	struct explore *e;
	struct explore_failure *f;
	struct schedule schedule; /* the failure's; owns its steps, borrows the rest */
	struct gate_plan plan;
	struct plan_words words;
	struct module *program;
	enum synth_ends ends;
	enum synth_expects expects;

	struct oracle oracle;
	struct run_options options; /* for plain runs; owns `scripts` */
	/* Gates kept the last run from its end, and no thread opened the gate under trial. */
	bool is_barred;
	struct str differs; /* outcome of the first run that differed */

	double until;		  /* deadline of trying plans and gates; 0 means no limit */
	double drop_until;	  /* deadline of dropping gates of this plan */
	double each;		  /* seconds of a run of the plan */
	double verified_s;	  /* seconds that the last verification took */
	unsigned long tried;	  /* runs to try a plan */
	unsigned long tried_each; /* runs to try each way without an order */

	bool any;		      /* a plan was tried, even if late */
	bool plain;		      /* the script has no gates: plain runs fail anyway */
	enum synth_outcomes outcomes; /* of schedules that the gates permit */
	bool firm;		      /* no thread's late start changes the outcome */
	bool lax;		      /* `firm` is not required, since no firm plan was found */
	unsigned long schedules, schedules_asked; /* of the last search: made; wanted */
	char *crash;				  /* location in the script's expect, or NULL */
	const char *late; /* thread whose late start changes the outcome; may be NULL */
};

/* Step of the failure's schedule that an order concerns. */
static inline const struct schedule_step *synth_step(const struct synth *g, size_t step)
{
	return plan_step_at(&g->schedule, step);
}

/* Schedules searched for an outcome that escapes the plan, whole or without one of its orders. */
enum { SYNTH_SCHEDULES = 100 };

/* ---- attempts.c ---- */

/* Tries plans for the failure's schedule until `until` (0 means no limit); sets f->gates or
   f->no_script. Returns 0, 1 if the gates permit a schedule with another outcome, or -1 if the
   experiment is over. */
int synth_make(struct explore *e, struct explore_failure *f, double until);

/* ---- recorded.c ---- */

/* Copies and prepares the failure's schedule. */
void synth_take_schedule(struct synth *g);
/* Drops repeated reads and yields of spinning threads, whose number does not matter. Returns false
   if there are none. */
bool synth_cut_spins(struct synth *g);
/* True if a thread was about to return from a wait in the kernel in the end. */
bool synth_leaves_woken(const struct synth *g);
/* True if runs without the order may have the same outcome by chance, even in very many: its
   removal is not tried. */
bool synth_is_by_luck(const struct synth *g, const struct plan_order *o);

/* ---- wording.c ---- */

void synth_words(struct synth *g);
/* Returns a location of the line at which the program crashed, or NULL if it is not known. The
   caller frees it with base_free(). */
char *synth_crash_location(const struct synth *g);
void synth_script(const struct synth *g, struct str *out);

/* ---- oracle/: return 1, 0, or -1 if the experiment is over ---- */

/* True if the deadline has passed; 0 means no limit. */
bool synth_is_past(double until);
/* Deadline of a step that gets this part of the time left. */
double synth_part_left(const struct synth *g, double part);
/* Sets the options of plain runs; called again when g->expects changes. */
void synth_set_options(struct synth *g);
/* Writes the plan's script to the file that is run. Returns 0, or -1 on error. */
int synth_write(struct synth *g);
/* Runs the script. Returns 1 if all runs agreed for which there was time (g->oracle has their
   number), 0 if one differed. */
int synth_runs(struct synth *g, unsigned long most, const struct run_trial *trial, double until);
/* Runs the whole plan; `what` is the progress text. Returns as synth_runs(). */
int synth_runs_of_all(struct synth *g, unsigned long most, const char *what, double until);
/* Searches `most` schedules, fewer if `verify` is less, or as many as there is time for, under the
   written script. Returns 1 if its gates permit another outcome, 0 if none was found. */
int synth_escapes(struct synth *g, unsigned long most, double until);
/* Returns an earlier deadline if a search until this one could take most of the time. */
double synth_search_until(double until);
/* Begins a search of `schedules` schedules within the experiment; synth_search_end() gives the
   experiment back to `e`. */
struct explore synth_search_begin(const struct explore *e, const struct explore_failure *f,
				  unsigned long schedules, double until);
void synth_search_end(struct explore *search, struct explore *e);
/* Returns the number of the plan's orders that are not dropped. */
size_t synth_orders_left(const struct synth *g);
/* Drops orders that are not needed, until a deadline (0 means no limit). Returns 0, or -1. */
int synth_drop(struct synth *g, double until);
/* Restores the last order dropped, which was tried with the fewest others, for good; all of them if
   time is short. Returns false if none was dropped. */
bool synth_put_back(struct synth *g);
/* Replaces the failure's schedule and data by those of the other one, which gets the old ones; it
   stays the same failure, with its folder, number and progress. */
void synth_adopt(struct explore_failure *f, struct explore_failure *other);
/* Moves the first failure out of the search, with the points of that search. */
void synth_take_failure(struct explore *e, struct explore_failure *out);
/* Searches schedules with shorter pauses for a failure that is time-related, and takes the one with
   the shortest. Returns 0, or -1 if the experiment is over. */
int synth_pauses(struct explore *e, struct explore_failure *f);
/* Makes the script of a failure that explore_examine() has rerun, by its schedule or by others that
   fail alike. Returns 0, or -1. */
int synth_gates(struct explore *e, struct explore_failure *f);

#endif
