/* gatectl races: controlled runs, and which accesses to memory in them are ordered by nothing. */
#ifndef GATECTL_EXPERIMENTS_RACES_H
#define GATECTL_EXPERIMENTS_RACES_H

#include "tracer/experiments/explore.h"
#include "tracer/source/source.h"

struct explore_race_runs;

/* Pairs of accesses on the same two lines, to the same variable. */
struct race {
	const struct controlled_race *seen; /* the first one */
	unsigned long times;
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
	ARRAY(struct location) at;	/* those of `ignore` */
};

/* 0: see the result; -1: as explore_search(). e.x must have begun. */
int races_hunt(struct races_hunt *h);
void races_hunt_fini(struct races_hunt *h);

#endif
