/* The script of a failure: script/gates.c tries plans (by oracle/runs.c), script/drop.c leaves out
   orders that do not matter, oracle/schedules.c searches for a way around the script, oracle/waits.c
   knows what runs do by luck, script/words.c writes the text. */
#ifndef GATECTL_SYNTH_GATING_INTERNAL_H
#define GATECTL_SYNTH_GATING_INTERNAL_H

#include "tracer/search/explore.h"
#include "tracer/synth/plan/plan.h"

struct gating {
	struct explore *e;
	struct explore_failure *f;
	struct schedule schedule; /* the failure's; its steps are its own, all else is borrowed */
	struct gate_plan plan;
	struct plan_words words;
	struct module *program;
	bool livelock; /* its schedule is cut where nothing new comes any more */
	bool endless;  /* a livelock or a hang: a run shows it by its length alone */
	bool plain;    /* the script has no gates: plain runs fail by themselves */
	bool defies;   /* it fails what the tester's own script expects ... */
	bool instead;  /* ... and in place of that one the script here says what came */
	struct run_options options; /* of plain runs; `scripts` is its own */
	char *path;		    /* the script's, for them */
	double until;		    /* no other plan, or gate, is tried then; 0: no limit */
	size_t most;		    /* orders of a plan: the last ones */
	double drop_until;	    /* ... no gate of this plan */
	bool any;		    /* one plan was tried, however late it was */
	bool verifies;		    /* all else is done */
	size_t dropped;		    /* orders */
	unsigned long tried;	    /* runs that a plan is tried by */
	unsigned long tried_each;   /* ... and each way to do without an order */
	unsigned long made;	    /* runs in a row */
	double took;		    /* ... and their seconds */
	double each;		    /* seconds of a run that agrees */
	bool strict;		    /* no schedule was found that comes out differently */
	unsigned long schedules;    /* ... in the last search, of so many */
	bool all_schedules;	    /* ... as many as were wanted */
	const char *late;   /* a thread: where it begins late it comes out differently; NULL */
	bool firm;	    /* no thread was found for that */
	bool lax;	    /* ... and that may be so: nothing firmer was found */
	bool turned;	    /* the last run's gate of that name was opened */
	bool barred;	    /* it did not come to its end: by gates */
	bool cut;	    /* by the end of the time: no evidence */
	struct str differs; /* how the first one came out that was another */
};

/* Schedules that are searched for a way around a plan, or around it without one of its orders. */
enum { GATING_SCHEDULES = 100 };

/* `until` 0: there is no limit. */
bool gating_is_past(double until);
/* Until when, if it gets this part of the time that is left. */
double gating_part_left(const struct gating *g, double part);
/* Again, for another way to write the script. */
void gating_set_options(struct gating *g);
/* The plan's script into the file that is run. 0; -1: an error. */
int gating_write(struct gating *g);
/* 1: all agreed, or those that there was time for; g->made tells how many, up to the first that did not. 0: one did not.
   -1: the experiment is over. */
int gating_runs(struct gating *g, unsigned long most, const struct run_trial *trial, double until);
/* The same, of all of the plan; `what` is said meanwhile. */
int gating_runs_of_all(struct gating *g, unsigned long most, const char *what, double until);

/* Leaves out the orders that are not needed. 0; -1: the experiment is over. */
int gating_drop(struct gating *g);
/* What was left out last has been tried with the fewest others: it is back, and stays. If there is no time for one after the
   other, all are. False: nothing is left out. */
bool gating_put_back(struct gating *g);

/* Is somebody in the end about to come back from a wait in the kernel? */
bool gating_leaves_woken(const struct gating *g);
/* Without the order runs may come out the same by luck, in each of very many: none is tried without it. */
bool gating_is_by_luck(const struct gating *g, const struct plan_order *o);

/* Of the script that is written, in `most` schedules (fewer, if a script is to be verified by fewer runs), or as many as there
   are until then (0: no limit). 1: its gates permit one that comes out differently, 0: none was found, -1: the experiment is
   over. */
int gating_escapes(struct gating *g, unsigned long most, double until);
/* Of the failure's schedule: sets f->gates, or f->no_script. Until then (0: no limit) plans are tried. 0; -1: the
   experiment is over. */
int gating_make(struct explore *e, struct explore_failure *f, double until);
void gating_begin(struct gating *g);
/* How often a thread looks at what it waits for is no matter of order. False: nobody waits like that. */
bool gating_cut_spins(struct gating *g);
void gating_end(struct gating *g);
void gating_script(const struct gating *g, struct str *out);

#endif
