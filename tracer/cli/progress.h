/* A bar on standard error while something takes long: only on a terminal, and gone at the end. */
#ifndef GATECTL_CLI_PROGRESS_H
#define GATECTL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown; /* there is a terminal to show it on */
	bool color;
	bool drawn;
	unsigned long done, all;
	uint64_t start_ms, last_ms;
};

void progress_begin(struct progress *p, bool wanted, bool color);
/* `all` may change on the way; 0: that is not known. */
void progress_set(struct progress *p, unsigned long done, unsigned long all, const char *what);
/* Before anything else is written there. */
void progress_erase(struct progress *p);

#endif
