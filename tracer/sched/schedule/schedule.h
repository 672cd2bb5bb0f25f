/*
 * A schedule: in which order the points of a controlled run were passed.
 *
 * A point is a place where a thread is held until the strategy lets it go; its step is what it does
 * from there to its next point. What a thread is called and where a step stands in the source are
 * known only of a schedule that was described (for a person, or to be made into gates).
 */
#ifndef GATECTL_SCHED_SCHEDULE_SCHEDULE_H
#define GATECTL_SCHED_SCHEDULE_SCHEDULE_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/text/str.h"
#include "tracer/sched/strategy/strategy.h"

/* Where the tester's code leads to a point. Texts belong to the schedule (schedule_text()). */
struct schedule_where {
	const char *file; /* as DWARF names it; NULL: not known */
	unsigned line;
	const char *func;
	const char *call;   /* what is called there: "pthread_mutex_lock", "read"; NULL: nothing */
	const char *var;    /* the object as C names it: "account.balance"; NULL: not known */
	const char *object; /* the module's file name, and the address in it as nm prints it: */
	uint64_t address;   /* ... of the statement's instruction, or of the call */
	bool inside; /* ... or of what is called there, where the thread goes on from a wait */
	/* Of a wait that code of a system's header makes, compiled into the tester's: there. It may wait many
	   times in one call, as cv.wait(lock, predicate) does. */
	struct schedule_header {
		const char *file; /* NULL: it is no such wait */
		unsigned line;
		const char *func;
		uint64_t address; /* in `object` */
	} header;
	/* The object of the point, where no module has it: "stack:main:1", "thread:worker#2",
	   "memory:3". */
	const char *memory;
	const char *inner_object; /* of an access in what is called there: the module, NULL if it */
	uint64_t inner;		  /* ... is none, and the address of the access itself */
};

struct schedule_step {
	unsigned thread; /* index of schedule.threads */
	struct strategy_point point;
	bool others; /* more than one thread could have gone on: this was a choice */
	/* The thread of the step before could have gone on, and did not stand at a YIELD. */
	bool preempts;
	struct schedule_where where; /* all zero unless described */
};

/* Texts that are owned. */
struct schedule_names {
	char **items;
	size_t count, capacity;
};
void schedule_names_copy(struct schedule_names *to, const struct schedule_names *from);
/* Forgets those from `count` on. */
void schedule_names_cut(struct schedule_names *n, size_t count);
void schedule_names_fini(struct schedule_names *n);

struct schedule {
	struct schedule_names threads; /* ids as gates know them: "main", "worker#1" */
	ARRAY(struct schedule_step) steps;
	/* Where those threads stood in the end that could have gone on: these were not done. */
	ARRAY(struct schedule_step) pending;
	struct schedule_names texts;
	/* Hash table of `texts`: 1 + the text's index; 0: free. The size is a power of 2. */
	size_t *slots;
	size_t slot_count;
	struct schedule_names modules; /* names of those that places and objects are in */
};

void schedule_clear(struct schedule *s);
void schedule_fini(struct schedule *s);
/* Adds the threads and the steps, but not where they are, to one that is empty. */
void schedule_copy(struct schedule *to, const struct schedule *from);
/* The schedule's own copy of a text, one for all that are the same; NULL for NULL. */
const char *schedule_text(struct schedule *s, const char *text);
unsigned schedule_thread(struct schedule *s, const char *id); /* its index, added if it is new */
/* Notes the name of a module; addresses in it can be told by it from then on. */
void schedule_module(struct schedule *s, const char *name);
/* The name of the module that `address` (address.h) is in; NULL: not noted. */
const char *schedule_module_at(const struct schedule *s, uint64_t address);
/* The module is called `to` from now on, in all its addresses. */
void schedule_rename_module(struct schedule *s, const char *from, const char *to);
/* Two schedules are the same if they do the same points in the same order. */
uint64_t schedule_digest(const struct schedule *s);

/* A strategy that follows the schedule exactly. */
struct strategy *schedule_guide(const struct schedule *s);

#endif
