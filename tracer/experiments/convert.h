/* gatectl convert: a script of gates that does what a test's sleeps do. */
#ifndef GATECTL_EXPERIMENTS_CONVERT_H
#define GATECTL_EXPERIMENTS_CONVERT_H

#include "tracer/experiments/experiment.h"

struct convert {
	struct experiment x;  /* x.most seconds for all of it */
	bool all;	      /* sleeps, too, that the outcome does not depend on */
	unsigned long wanted; /* runs that verify the script; 0: as many as are usual */
	char *path;	      /* of the script that runs are made with */
	bool in_turn; /* trials, too, have sleeps that order: these last as long as it takes */
	bool late;    /* something was not tried, as there was no time for it */
	struct convert_plan plan;
	ARRAY(struct convert_record *) records; /* the plan's names are theirs */
	/* The test as it is. */
	struct experiment_outcome outcome;
	bool unsteady; /* that is so only with longer sleeps: it has ended otherwise, too */
	double seconds;
	struct str differs; /* how the last run ended that was another one */
	bool endless;	    /* ... it did not: its time was over, and no gate was the reason */
	/* What has come of it. */
	double *took;		/* seconds, of the runs that have verified */
	double after;		/* ... their median */
	unsigned long verified; /* runs */
	struct str script;
};

/* 0 with the script, or -1: experiment.h says why. */
int convert_test(struct convert *c);
size_t convert_count_converted(const struct convert_plan *p);
void convert_fini(struct convert *c); /* before experiment_end */

#endif
