/* gatectl prove: does the script force the outcome, and which of its gates matter? */
#ifndef GATECTL_EXPERIMENTS_PROVE_H
#define GATECTL_EXPERIMENTS_PROVE_H

#include "tracer/experiments/experiment.h"

/* Runs in which one thing is changed. */
struct prove_line {
	char *name; /* of what is left out; NULL: of all gates, or of none */
	bool holds, is_gate, is_barrier;
	bool other;	      /* ... and what it forces is pushed the other way round */
	ARRAY(char *) movers; /* of a barrier: the one that is to come first, then the others */
	unsigned long runs, agreed, limited;
	bool useless[TRIAL_LATE + 1]; /* ways that change the outcome by themselves */
};

struct prove {
	struct experiment x;
	unsigned long runs; /* of each line; 0: as many as are usual */
	bool has_limit;	    /* the script's own, of each run */
	double longest_s;
	/* What is expected. */
	bool has_expect;     /* the script says it ... */
	struct str expected; /* ... in words; if not, this is how the first run came out */
	struct experiment_outcome outcome;
	struct str failed; /* what gatectl says of the first run with all gates that was not so */
	struct prove_line all, none;
	ARRAY(struct prove_line) lines; /* the other way round comes after its own */
	bool lucky; /* somebody who is held back changes the outcome, with all gates */
	struct str luck;
};

/* 0 with the lines filled, or -1: experiment.h says why. */
int prove_runs(struct prove *p);
void prove_fini(struct prove *p);

#endif
