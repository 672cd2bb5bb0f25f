/* A bar on standard error while something takes long: only on a terminal, and gone at the end. */
#ifndef GATECTL_CLI_PROGRESS_H
#define GATECTL_CLI_PROGRESS_H

#include "tracer/cli/cli.h"

struct progress {
	bool shown; /* there is a terminal to show it on */
	bool color;
	bool drawn;
	const char *noun; /* what is counted: "run" */
	unsigned long done, all;
	uint64_t start_ms, last_ms;
};

/* The view shows the bar. Without -v scripts are silent: they would print the same in every run. */
void progress_begin(struct progress *p, struct cli *cli, struct experiment_view *view);
double progress_seconds(const struct progress *p); /* since it began */
bool progress_is_due(const struct progress *p);	   /* what is shown now would be seen */
/* To be called before anything else is written there. */
void progress_erase(struct progress *p);

#endif
