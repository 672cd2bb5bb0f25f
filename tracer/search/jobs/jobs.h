/*
 * A search by several processes: each has its own program, on its own processor. Who makes which run is known
 * beforehand, so the search takes what they have found in the order of runs; how fast each one is makes no
 * difference to the result.
 */
#ifndef GATECTL_SEARCH_JOBS_JOBS_H
#define GATECTL_SEARCH_JOBS_JOBS_H

#include "tracer/search/jobs/worker.h"

struct explore_job {
	pid_t pid;
	int from, to;	  /* pipes */
	struct str bytes; /* read from it ... */
	size_t at;	  /* ... and used so far */
};

struct explore_jobs {
	struct explore *e;
	struct strategy *strategy; /* as it is when they begin */
	struct error *fault;
	const struct sched_paths *paths; /* of the runs before the search */
	unsigned first;			 /* processor */
	uint64_t run, step;		 /* the first run, and from there to the next */
	ARRAY(struct explore_job) items;
	struct str lessons; /* of this batch, to be told */
	pid_t apart;	    /* the process of explore_jobs_apart(); 0: there is none */
};

/* Forks so many. 0, or -1 with the error. */
int explore_jobs_begin(struct explore_jobs *j, unsigned count);
/* The outcome of the next run: those of explore_jobs.run, and `step` more each time. -1: it is over. */
int explore_jobs_run(struct explore_jobs *j, uint64_t run, struct explore_outcome *out);
/* Takes an outcome that a worker has sent and that is not read yet, in any order, into *out.
   Returns false if there is none. */
bool explore_jobs_left(struct explore_jobs *j, struct explore_outcome *out);
/* Does something in a process of its own, which may trace a program as if there were no workers,
   and waits for it. -1: a signal has come, and explore_jobs_end() ends it. */
int explore_jobs_apart(struct explore_jobs *j, int (*what)(void *ctx), void *ctx);
/* They end, and their programs. */
void explore_jobs_end(struct explore_jobs *j);

#endif
