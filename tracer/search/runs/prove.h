/* gatectl prove: does the script force the outcome, and which of its gates matter? */
#ifndef GATECTL_SEARCH_RUNS_PROVE_H
#define GATECTL_SEARCH_RUNS_PROVE_H

#include "tracer/search/runs/oracle.h"

struct prove_row {
	unsigned long runs, agreed, limited;
};

/* Runs in which one thing is left out. */
struct prove_line {
	char *name; /* NULL: all gates */
	bool holds, is_gate, is_barrier;
	ARRAY(char *) movers; /* of a barrier: the one that is to come first, then the others */
	struct prove_row without;
	struct prove_row turned; /* of a gate: ... and the opposite of what it forces is tried */
	bool useless[TRIAL_LATE + 1]; /* ways that change the outcome by themselves */
};

struct prove {
	struct experiment x;
	unsigned long runs; /* of each row; 0: the usual number */
	bool has_limit;	    /* each run has one, from the script */
	double longest_s;
	/* The expectation. */
	bool has_expect;     /* the script has one ... */
	struct str expected; /* ... in words; without one, how the first run came out */
	struct experiment_outcome outcome;
	struct str failed; /* gatectl's message for the first run with all gates that differed */
	struct prove_row all;
	struct prove_line none;
	ARRAY(struct prove_line) lines;
	const char *
		luck; /* with all gates, delaying this one's threads alone changes the outcome; NULL */
};

enum prove_judgement { PROVE_MATTERS, PROVE_IDLE, PROVE_UNKNOWN };

/* Of a line: is it the reason for the outcome, alone or with what it forces pushed the other way
   round? Not known where the outcome does not come with all gates, either, and the difference
   may be luck. */
enum prove_judgement prove_judge(const struct prove *p, const struct prove_line *line);

/* 0 with the lines filled; -1: see experiment.h for the error. */
int prove_runs(struct prove *p);
void prove_fini(struct prove *p);

#endif
