/*
 * gatectl convert, inside: convert.c leads from the first run to the script, convert_runs.c makes runs
 * and compares their outcomes, convert_choose.c finds out what the script needs.
 */
#ifndef GATECTL_CLI_CONVERT_H
#define GATECTL_CLI_CONVERT_H

#include "tracer/cli/cli.h"
#include "tracer/cli/progress.h"
#include "tracer/session/convert/convert.h"

struct convert {
	struct cli *cli;
	struct symbols *symbols;
	struct progress progress;
	unsigned long number; /* runs so far */
	char *path;	      /* of the script that runs are made with */
	bool in_turn; /* trials, too, have sleeps that order: these last as long as it takes */
	struct convert_plan plan;
	ARRAY(struct convert_record *) records; /* the plan's names are theirs */
	/* The test as it is. */
	struct str came; /* how it ends, in words */
	bool same_out, same_err;
	bool unsteady; /* that is so only with longer sleeps: it has ended otherwise, too */
	uint64_t out_sum, err_sum;
	double seconds;
	struct str differs; /* how the last run ended that was another one */
	double after;	    /* seconds, median of the runs that have verified */
	unsigned long verified;
	int status; /* of what ends it before its time; -1: nothing has */
};

/* ---- convert_runs.c: 1 the outcome is the test's own, 0 it is not, -1 it is all over ---------- */

/* The first runs say what the outcome is. */
int convert_baseline(struct convert *c, struct error *err);
/* The record is kept. NULL where being watched changes the outcome. */
struct convert_record *convert_watch_run(struct convert *c);
/* With a script that only elides the site: how often it came by, and whether it sleeps nevertheless. */
int convert_alone(struct convert *c, size_t site, unsigned long *arrivals, bool *sleeps);
int convert_use_script(struct convert *c, const char *text, struct error *err);
int convert_same(struct convert *c, unsigned long runs);
int convert_trial(struct convert *c, const struct session_trial *trial, struct session_result *r);
void convert_runs_fini(struct convert *c);
void convert_say(struct convert *c, const char *what);

/* ---- convert_choose.c: 0, or -1 it is all over ------------------------------------------------- */

/* Sites that cannot be converted, and orders that the outcome does not depend on, are left. */
int convert_choose(struct convert *c, bool all);
/* By luck an order may have looked superfluous: all of those are taken back. False: there are none. */
bool convert_take_back(struct convert_plan *p);
/* With the plan's script; 1, 0 or -1. */
int convert_plan_same(struct convert *c, unsigned long runs);

#endif
