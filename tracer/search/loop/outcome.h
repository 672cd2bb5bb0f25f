/* What one run of a search has shown: made by whoever did the run, accounted for by the search. */
#ifndef GATECTL_SEARCH_LOOP_OUTCOME_H
#define GATECTL_SEARCH_LOOP_OUTCOME_H

#include "tracer/search/explore.h"
#include "tracer/search/loop/failure.h"
#include "tracer/search/journal/record.h"

struct explore_outcome {
	uint64_t run; /* the strategy's number of it, from 0 */
	enum explore_ended ended;
	bool none; /* the strategy has ended it: this is no schedule */
	bool late; /* CUT: the time of the search was over */
	char *last_steps, *last_threads, *last_words; /* CUT, for its steps: explore_cut; or NULL */
	bool early;	/* made to find races, before the strategy's first: `run` counts those */
	uint64_t at_us; /* microseconds after the search's begin it was known */
	uint64_t digest, points;
	bool asks_ids; /* the program has asked for its own by now */
	bool twice;    /* it was run a second time ... */
	char *differs; /* ... and was another one; or NULL */
	char *said;    /* what the program has written, if explore.said asks for it; or NULL */
	/* What it has taught. */
	ARRAY(uint64_t) lesson;
	/* The maker's first schedule that passed, told once; else empty. */
	struct schedule passed;
	struct sched_paths passed_paths;
	/* FAILED: */
	uint64_t key;
	int status;
	/* ... for the first time, as far as its maker knows: */
	char *kind, *where, *text; /* explore_failure */
	struct schedule schedule;
	struct sched_paths paths;
};

void explore_outcome_fini(struct explore_outcome *o);

void explore_outcome_write(const struct explore_outcome *o, struct record *r);
/* Of a RECORD_RUN whose kind was read. False: it is damaged. */
bool explore_outcome_read(struct explore_outcome *o, struct record *r);

#endif
