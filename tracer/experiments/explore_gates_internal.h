/* The script of a failure: explore_gates.c tries it, explore_gates_words.c says it. */
#ifndef GATECTL_EXPERIMENTS_EXPLORE_GATES_INTERNAL_H
#define GATECTL_EXPERIMENTS_EXPLORE_GATES_INTERNAL_H

#include "tracer/experiments/explore.h"
#include "tracer/explore/schedule/plan.h"

struct gating {
	struct explore *e;
	struct explore_failure *f;
	struct schedule schedule; /* the failure's; the steps are its own, all else is borrowed */
	struct gate_plan plan;
	struct plan_words words;
	struct module *program;
	bool livelock;			/* its schedule is cut where nothing new comes any more */
	bool defies;			/* it fails what the tester's own script expects */
	struct session_options options; /* of plain runs; `scripts` is its own */
	char *path;			/* the script's, for them */
	size_t dropped;			/* orders */
	unsigned long tried;		/* runs that an order, or a plan, is tried by */
	unsigned long made;		/* runs in a row */
	bool turned;			/* the last run's gate of that name was opened */
	bool barred;			/* it did not come to its end: by gates */
	struct str differs;		/* how the first one came out that was another */
};

void gating_begin(struct gating *g);
void gating_end(struct gating *g);
void gating_script(const struct gating *g, struct str *out);

#endif
