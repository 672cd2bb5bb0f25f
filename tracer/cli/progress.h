/* A bar on standard error while something takes long: only on a terminal, and gone at the end. */
#ifndef GATECTL_CLI_PROGRESS_H
#define GATECTL_CLI_PROGRESS_H

#include "tracer/cli/cli.h"

struct progress {
	struct cli *cli;
	bool shown; /* there is a terminal to show it on */
	bool drawn, was_quiet;
	const char *noun; /* what is counted: "run" */
	const struct explore
		*search; /* whose schedules are counted, with what they found; NULL: none */
	unsigned long done, all;
	uint64_t start_ms, last_ms;
};

/* The view shows the bar. Without -v scripts are silent: they would print the same in every run. */
void progress_begin(struct progress *p, struct cli *cli, struct experiment_view *view);
/* To be called before anything else is written there. */
void progress_erase(struct progress *p);
/* Erases the bar; scripts are no longer silent. */
void progress_end(struct progress *p);

#endif
