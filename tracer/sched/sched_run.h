/* For tracer/search, which makes the runs of a search: where a run is taken under control. */
#ifndef GATECTL_SCHED_SCHED_RUN_H
#define GATECTL_SCHED_SCHED_RUN_H

#include "tracer/run/state.h"

/* From now on there is one thread at a time; `t`: the thread there is, NULL: none yet. */
void scheduler_begin(struct run *s, struct run_thread *t);
/* The thread that has come to where schedules begin, and is stopped there; NULL: nobody yet. */
struct run_thread *scheduler_arrived(const struct run *s);

/* Runs are copies of this process, which is kept: notes what ld.so has not bound there yet; and, after a run,
   binds what that one has bound. */
void bound_keep(struct sched *c, const struct run_process *kept);
void bound_take(struct sched *c, struct run_process *kept);

/* After a run: arrivals at accesses that are points can be granted there, if threads come to them often. */
void grants_take(struct sched *c, struct run_process *kept);

/* gatectl, and what it starts from now on, has one processor: the worker-th of those that it may use. */
void sched_pin(unsigned worker);
/* Worker 0 has the one that gatectl is on now, where the kernel found it room; without this, the first one. */
void sched_settle(void);
void sched_unpin(void);

#endif
