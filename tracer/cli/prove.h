/*
 * gatectl prove, inside: prove.c makes the runs, prove_table.c says what has come of them.
 */
#ifndef GATECTL_CLI_PROVE_H
#define GATECTL_CLI_PROVE_H

#include "tracer/cli/cli.h"
#include "tracer/cli/progress.h"

/* One line of the table. */
struct prove_line {
	char *name; /* of what is left out; NULL: of all gates, or of none */
	bool holds, is_gate, is_barrier;
	ARRAY(char *) movers; /* of a barrier: the one that is to come first, then the others */
	unsigned long runs, agreed, limited;
	bool useless[TRIAL_LATE + 1]; /* ways that change the outcome by themselves */
};

struct prove {
	struct cli *cli;
	struct symbols *symbols;
	struct progress progress;
	unsigned long runs; /* of each line */
	unsigned long number, made;
	double longest_s;
	/* What is expected. */
	bool has_expect, same_out, same_err;
	uint64_t out_sum, err_sum;
	struct str expected; /* in words */
	struct str failed;   /* what gatectl says of the first run with all gates that was not so */
	struct prove_line all, none;
	ARRAY(struct prove_line) lines;
	bool lucky; /* somebody who is held back changes the outcome, with all gates */
	struct str luck;
	int status; /* of what ends it before its time; -1: nothing has */
};

/* On standard output: the table, and below it in words whether the outcome is forced, and what could
   be left out. */
void prove_print(const struct prove *p);

#endif
