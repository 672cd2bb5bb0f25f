/* Places of accesses in the user's own code: the access itself, or the call that led to it in
   library code. A call of free counts as an access. */
#ifndef GATECTL_SCHED_MEMORY_CALLERS_H
#define GATECTL_SCHED_MEMORY_CALLERS_H

#include "tracer/base/array.h"

#include <stddef.h>
#include <stdint.h>

struct module;
struct sched;
struct sched_thread;
struct scheduler;
struct run_process;

/* A call in the user's own code. */
struct sched_caller {
	const struct module *module;
	uint64_t offset; /* in the module, of the call's last byte */
	unsigned line;
	char *file, *func; /* func: NULL if unknown */
};

/* A place of the search for races. */
struct sched_race_place {
	unsigned access; /* index of sched.accesses */
	unsigned caller; /* index + 1 of sched_callers.known; 0: the access is in the user's code */
	unsigned next;	 /* index + 1 of the access's next place; 0: none */
};

/* A call of free. */
struct sched_freed {
	const struct run_process *process;
	uint64_t block, size;
	unsigned place;	    /* index of sched_callers.places */
	const char *thread; /* "worker#1"; owned by the run */
};

struct sched_callers {
	ARRAY(struct sched_caller) known;
	ARRAY(struct sched_race_place) places;
	/* With SCHED_JUDGES: the run's last calls of free while several threads lived, a ring. */
	ARRAY(struct sched_freed) freed;
	size_t freed_count;
	char *who_freed; /* text of the last sched_who_freed(); NULL if there is none */
};

/* Returns the index of the place of the thread's access in sched_callers.places. Finds callers with
   SCHED_CALLERS or SCHED_JUDGES only, because reading the stack takes 0.1 ms. */
unsigned callers_place(struct scheduler *c, struct sched_thread *t, unsigned access);
/* Returns the caller at a place, or NULL if the access is in the user's own code. */
const struct sched_caller *callers_at(const struct sched *g, unsigned place);
/* Frees everything, but not `callers`. */
void callers_fini(struct sched_callers *callers);

/* Records that the thread frees the block, by a call that is `access`. */
void callers_note_freed(struct scheduler *c, struct sched_thread *t, uint64_t block, uint64_t size,
			unsigned access);

#endif
