/* gatectl races: controlled runs, and which accesses to memory in them are ordered by nothing. */
#ifndef GATECTL_SEARCH_RUNS_RACES_H
#define GATECTL_SEARCH_RUNS_RACES_H

#include "tracer/search/explore.h"
#include "tracer/source/source.h"

struct explore_race_runs;

/* Pairs of accesses on the same two lines, to the same variable. */
struct race {
	const struct sched_race *seen; /* the first one */
	unsigned long times;
};

/* A line of the file of --ignore. */
struct races_ignored {
	struct location location;
	unsigned number; /* of the line */
	bool is_nothing; /* it was found neither in the program nor at a race */
	ARRAY(struct races_line {
		char *file;
		unsigned line;
	})
	lines; /* that it means, where it was found */
};

struct races_hunt {
	/* Given; the result is in its `runs`, `seconds`, too. */
	struct explore e;
	const char *
		ignore; /* a file with a location on each line: races there are left out; NULL: none */
	unsigned long enough; /* runs in a row that show nothing new; 0: no end */
	/* The result. */
	ARRAY(struct race) found;
	unsigned long ignored;		/* races that were left out */
	unsigned long failed;		/* runs that ended in a failure */
	struct explore_race_runs *runs; /* what `found` points into */
	ARRAY(struct races_ignored) at; /* those of `ignore` */
};

/* 0: see the result; -1: as explore_search(). e.x must have begun. */
int races_hunt(struct races_hunt *h);
void races_hunt_fini(struct races_hunt *h);

#endif
