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
#include "tracer/base/hash.h"

#include <stdbool.h>

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
/* The name of the module that `address` is in; NULL: not noted. */
const char *schedule_module_at(const struct schedule *s, uint64_t address);
/* The module is called `to` from now on, in all its addresses. */
void schedule_rename_module(struct schedule *s, const char *from, const char *to);
/* Two schedules are the same if they do the same points in the same order. */
uint64_t schedule_digest(const struct schedule *s);

/* A strategy that follows the schedule exactly. */
struct strategy *schedule_guide(const struct schedule *s);

/*
 * The file `schedule`: a text that a person can read, and replay compares with.
 *
 *	# gatectl schedule 2
 *	# program: ./count 2
 *	seed: 1
 *	point: count+0x1189
 *	steps: 2
 *
 *	  1  main      create  count.c:20 (main, pthread_create)  at=count+0x1205 code=count+0x1200
 *	  2  worker#1  read    count.c:12 (count, -, counter)     choice preempts object=count+0x4040 ...
 *
 * A step: its number, thread, operation, FILE:LINE (function, what it calls, the object) as far as
 * they are known, and what only a machine reads: `choice` others could have gone on, `preempts` the
 * one before could have, `writes`, the object, the place of the point, the code that leads there as
 * nm prints it, and `as` the strategy's number of the thread where it is not the schedule's. No
 * address is the process's own: an object that no module has is thread:ID (what a join of it waits
 * for), stack:ID:N or memory:N, the N-th one of its kind to come. What contains blanks, brackets
 * and the like stands in "". Behind the steps, with - for a number, is where the threads stood in
 * the end that could have gone on. Lines that begin with # are comments.
 */

/* How a schedule begins, whichever its format. */
#define SCHEDULE_WORDS "# gatectl schedule "

/* What stands before the steps. A key may come more than once; its order is kept. */
struct schedule_option {
	char *key, *value;
};
struct schedule_head {
	char *program; /* PROG and its arguments; NULL: not told */
	ARRAY(struct schedule_option) options;
};
void schedule_head_fini(struct schedule_head *h);
/* A key: letters, digits, - and _; "steps" is taken. */
void schedule_option_add(struct schedule_head *h, const char *key, const char *value);
/* The k-th value of the key, from 0; NULL: there is none. */
const char *schedule_option(const struct schedule_head *h, const char *key, size_t k);

/* "lock", "read": as a schedule has it. */
const char *schedule_op(enum strategy_op op);

void schedule_print(const struct schedule *s, const struct schedule_head *h, struct str *out);
/* Into an empty schedule and head. -1: ERROR_SCRIPT, the text begins with SOURCE:LINE; what was read is to
   be freed all the same. */
int schedule_parse(const char *text, const char *source, struct schedule *s,
		   struct schedule_head *h, struct error *err);

/*
 * A failing schedule, made small: as few preemptions as will do, then as few switches.
 *
 * What is tried is a list of segments (strategy_guide_loose): parts of the schedule are left out, and
 * what their threads have missed they do in their next segments (Zeller, Hildebrandt: Simplifying and
 * isolating failure-inducing input, TSE 2002, on segments). What really happened then is what it goes on
 * from. Nothing here runs a program: the caller does, and says whether it failed in the same way.
 */

struct segments {
	struct strategy_segment *items;
	size_t count, capacity;
};
/* Who went on for how long; array_fini() gives it back. */
void schedule_segments(const struct schedule *s, struct segments *out);
size_t schedule_preemptions(const struct schedule *s);

struct minimise {
	void *ctx;
	/* 1: the run failed in the same way, and `came` (empty before) is what happened; 0: it did not;
	   -1: stop. */
	int (*run)(void *ctx, const struct segments *wanted, struct schedule *came);
	bool (*is_over)(void *ctx); /* the time, or a signal ends it here; NULL: never */
	unsigned long most;	    /* tries */
	/* The result. */
	unsigned long tries;
	bool is_minimal; /* no single preemption can be left out; else the tries were used up */
};

/* In `s` is a schedule that fails, and afterwards the smallest one that was found. -1: it was stopped. */
int schedule_minimise(struct minimise *m, struct schedule *s);

/*
 * Addresses as a schedule has them: a module's name and an offset in it, in one number that is the
 * same in every process and on every machine. 24 bits are the name's, 40 the offset's.
 */

enum { ADDRESS_OFFSET_BITS = 40 };

/* The number of the module's offset 0; itself never 0, which means no address. */
static inline uint64_t address_of_module(const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);

	hash ^= hash >> 29 ^ hash >> 47;
	return (hash << ADDRESS_OFFSET_BITS) | (uint64_t)1 << 63;
}

static inline uint64_t address_offset(uint64_t address)
{
	return address & (((uint64_t)1 << ADDRESS_OFFSET_BITS) - 1);
}

static inline uint64_t address_of(const char *module, uint64_t offset)
{
	return address_of_module(module) | address_offset(offset);
}

static inline bool address_is_in(uint64_t address, const char *module)
{
	return address_of_module(module) == address - address_offset(address);
}

#endif
