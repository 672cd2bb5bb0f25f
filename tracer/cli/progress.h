/* A progress bar on standard error: only on a terminal, and erased at the end. */
#ifndef GATECTL_CLI_PROGRESS_H
#define GATECTL_CLI_PROGRESS_H

#include "tracer/cli/cli.h"

struct progress {
	struct cli *cli;
	bool shown; /* standard error is a terminal, and the bar is wanted */
	bool drawn, was_quiet;
	const char *noun; /* what is counted: "run" */
	/* search whose schedules and failures are counted; NULL: none */
	const struct explore *search;
	unsigned long done, all;
	uint64_t start_ms, last_ms;
};

/* Makes *view show the bar. Without -v scripts print nothing: each run would print the same. */
void progress_begin(struct progress *p, struct cli *cli, struct experiment_view *view);
/* Erases the bar, before other output on standard error. */
void progress_erase(struct progress *p);
/* Erases the bar; scripts may print again. */
void progress_end(struct progress *p);

#endif
