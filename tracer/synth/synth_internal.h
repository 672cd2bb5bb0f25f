/*
 * The script of a failure: attempts.c tries plans by the oracle (oracle/runs.c), oracle/drop.c
 * leaves out orders that do not matter, oracle/schedules.c searches for a way around the script,
 * recorded.c prepares the schedule, and wording.c writes the text. failures.c does all of that for
 * each failure of a search.
 */
#ifndef GATECTL_SYNTH_SYNTH_INTERNAL_H
#define GATECTL_SYNTH_SYNTH_INTERNAL_H

#include "tracer/search/runs/runs.h"
#include "tracer/synth/plan/plan.h"
#include "tracer/synth/synth.h"

/* A program that goes on for ever: a run shows it by its length alone. */
enum synth_ends { SYNTH_ENDS, SYNTH_LIVELOCK, SYNTH_HANGS };

enum synth_expects {
	SYNTH_FAILURE, /* the script expects the failure */
	SYNTH_CAME, /* ... what came, in place of the tester's own script, whose expect has failed */
	SYNTH_UNMET, /* ... nothing: it fails what the tester's own script expects */
};

struct synth {
	struct explore *e;
	struct explore_failure *f;
	struct schedule schedule; /* the failure's; its steps are its own, all else is borrowed */
	struct gate_plan plan;
	struct plan_words words;
	struct module *program;
	enum synth_ends ends;
	enum synth_expects expects;

	struct oracle oracle;
	struct run_options options; /* of plain runs; `scripts` is its own */
	bool is_barred; /* gates kept the last run from its end, and no thread opened the gate `turned` */
	struct str differs; /* how the first run came out that was another */

	double until;		  /* no other plan, or gate, is tried then; 0: no limit */
	double drop_until;	  /* ... no gate of this plan */
	double each;		  /* seconds of a run that agrees */
	unsigned long tried;	  /* runs that a plan is tried by */
	unsigned long tried_each; /* ... and each way to do without an order */

	bool any;    /* one plan was tried, however late it was */
	bool plain;  /* the script has no gates: plain runs fail by themselves */
	bool strict; /* no schedule was found that comes out differently */
	bool firm; /* no thread was found where it comes out differently if that begins late ... */
	bool lax;  /* ... which is not required: nothing firmer was found */
	unsigned long schedules, schedules_asked; /* of the last search: made, and wanted */
	const char *late; /* a thread: where it begins late it comes out differently; NULL */
};

/* The step of the failure's schedule that an order is about. */
static inline const struct schedule_step *synth_step(const struct synth *g, size_t step)
{
	return plan_step_at(&g->schedule, step);
}

/* Schedules that are searched for a way around a plan, or around it without one of its orders. */
enum { SYNTH_SCHEDULES = 100 };

/* ---- attempts.c ---- */

/* Of the failure's schedule: sets f->gates, or f->no_script. Until then (0: no limit) plans are
   tried. 0; -1: the experiment is over. */
int synth_make(struct explore *e, struct explore_failure *f, double until);

/* ---- recorded.c ---- */

/* Copies and prepares the failure's schedule. */
void synth_take_schedule(struct synth *g);
/* How often a thread looks at what it waits for is no matter of order. False: nobody waits like
   that. */
bool synth_cut_spins(struct synth *g);
/* Is somebody in the end about to come back from a wait in the kernel? */
bool synth_leaves_woken(const struct synth *g);
/* Without the order runs may come out the same by luck, in each of very many: none is tried
   without it. */
bool synth_is_by_luck(const struct synth *g, const struct plan_order *o);

/* ---- wording.c ---- */

void synth_words(struct synth *g);
void synth_script(const struct synth *g, struct str *out);

/* ---- oracle/: 1, 0, or -1: the experiment is over ---- */

/* `until` 0: there is no limit. */
bool synth_is_past(double until);
/* Until when, if it gets this part of the time that is left. */
double synth_part_left(const struct synth *g, double part);
/* Again, for another way to write the script. */
void synth_set_options(struct synth *g);
/* The plan's script into the file that is run. 0; -1: an error. */
int synth_write(struct synth *g);
/* 1: all agreed, or those that there was time for: g->oracle has how many. 0: one did not. */
int synth_runs(struct synth *g, unsigned long most, const struct run_trial *trial, double until);
/* The same, of all of the plan; `what` is said meanwhile. */
int synth_runs_of_all(struct synth *g, unsigned long most, const char *what, double until);
/* Of the script that is written, in `most` schedules (fewer, if a script is to be verified by
   fewer runs), or as many as there are until then (0: no limit). 1: its gates permit one that
   comes out differently, 0: none was found. */
int synth_escapes(struct synth *g, unsigned long most, double until);
/* A search of so many schedules, of its own within the experiment, which _end gives back. */
struct explore synth_search_begin(const struct explore *e, const struct explore_failure *f,
				  unsigned long schedules, double until);
void synth_search_end(struct explore *search, struct explore *e);
/* Leaves out the orders that are not needed. 0, or -1. */
int synth_drop(struct synth *g);
/* What was left out last has been tried with the fewest others: it is back, and stays. If there
   is no time for one after the other, all are. False: nothing is left out. */
bool synth_put_back(struct synth *g);
/* Of a failure that was looked at (explore_examine()): by its schedule, or by others that
   fail alike. 0, or -1. */
int synth_gates(struct explore *e, struct explore_failure *f);

#endif
