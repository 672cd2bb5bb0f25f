/* gatectl convert: a script of gates that does what a test's sleeps do. */
#ifndef GATECTL_SEARCH_CONVERT_CONVERT_H
#define GATECTL_SEARCH_CONVERT_CONVERT_H

#include "tracer/search/runs/runs.h"

struct convert {
	struct experiment x; /* x.most seconds for all of it */
	struct oracle oracle;
	bool all;	      /* convert even sleeps that the outcome does not depend on */
	unsigned long wanted; /* runs to verify the script; 0: the usual number */
	bool in_turn;	      /* in trials, too, sleeps last until the others have no work left */
	bool late;	      /* there was no time to try everything */
	struct convert_plan plan;
	ARRAY(struct convert_record *) records; /* own the plan's names */
	/* The test as it is. */
	struct experiment_outcome outcome;
	bool unsteady; /* it is stable only with longer sleeps */
	double seconds;
	struct str differs; /* the outcome of the last run that differed */
	bool endless;	    /* ... by a time limit, not because of a gate */
	/* The result. */
	double *took;		/* seconds, of each verifying run */
	double after;		/* ... their median */
	unsigned long verified; /* runs */
	struct str script;
};

/* 0 with the script; -1: see runs/runs.h for the error. */
int convert_test(struct convert *c);
size_t convert_count_converted(const struct convert_plan *p);
void convert_fini(struct convert *c); /* before experiment_end */

#endif
