/*
 * A schedule: the order in which the points of a run were passed.
 *
 * A point is a place where a thread is held until the strategy chooses it. A step is the thread's
 * work from there to its next point. Ids of threads and places in the source are known only of a
 * described schedule (for display, or to be made into gates).
 */
#ifndef GATECTL_SCHED_SCHEDULE_SCHEDULE_H
#define GATECTL_SCHED_SCHEDULE_SCHEDULE_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/text/str.h"
#include "tracer/sched/strategy/strategy.h"
#include "tracer/base/hash.h"

#include <stdbool.h>

/* Place of a point in the user's code. The schedule owns the texts (schedule_text()). */
struct schedule_where {
	const char *file; /* as DWARF names it; NULL: unknown */
	unsigned line;
	const char *func;
	const char *call;   /* called function: "pthread_mutex_lock", "read"; NULL: none */
	const char *var;    /* the object as C names it: "account.balance"; NULL: unknown */
	const char *object; /* the module's file name */
	/* in the module, as nm prints it: of the statement's instruction or call */
	uint64_t address;
	/* `address` is in the called function, where the thread goes on after a wait */
	bool inside;
	/* Place of a wait in a system header that is compiled into the user's code. One call may
	   wait many times, as cv.wait(lock, predicate) does. */
	struct schedule_place {
		const char *file; /* NULL: no such place */
		unsigned line;
		const char *func;
		const char *call;   /* called function, or NULL */
		const char *object; /* the module's file name */
		uint64_t address;   /* in `object` */
	} header;
	/* Place of the call that passes the object to `func` as an argument: a wrapper of
	   pthread_mutex_lock is called there. */
	struct schedule_place caller;
	/* `call` is a wrapper, which calls this function at the point; NULL: it is none */
	const char *wrapped;
	/* Name of an object outside of modules: "stack:main:1", "thread:worker#2", "memory:3". */
	const char *memory;
	const char *inner_object; /* module of an access in a called function; NULL: none */
	uint64_t inner;		  /* address of that access in its module */
};

struct schedule_step {
	unsigned thread; /* index of schedule.threads */
	struct strategy_point point;
	bool others; /* more than one thread could go on */
	/* The thread of the previous step could go on and was not at a YIELD. */
	bool preempts;
	struct schedule_where where; /* all zero unless described */
};

/* Owned texts. */
struct schedule_names {
	char **items;
	size_t count, capacity;
};
/* Replaces the texts of `to` by copies. */
void schedule_names_copy(struct schedule_names *to, const struct schedule_names *from);
/* Removes texts from index `count` on. */
void schedule_names_cut(struct schedule_names *n, size_t count);
/* Frees all texts. */
void schedule_names_fini(struct schedule_names *n);

/* First characters of the name of a timer, whose expirations are steps. No thread has such a
   name. */
#define SCHEDULE_TIMER "timer:"

struct schedule {
	struct schedule_names threads; /* ids as in gates: "main", "worker#1"; or "timer:1" */
	ARRAY(struct schedule_step) steps;
	/* Steps that other threads could have made instead of the last one. */
	ARRAY(struct schedule_step) pending;
	struct schedule_names texts;
	/* Hash table of `texts`: 1 + the text's index; 0: free. The size is a power of 2. */
	size_t *slots;
	size_t slot_count;
	struct schedule_names modules; /* names of modules of places and objects */
};

/* Removes threads and steps. Keeps texts and modules. */
void schedule_clear(struct schedule *s);
/* Frees what the schedule owns. */
void schedule_fini(struct schedule *s);
/* Adds the threads, modules and steps of `from`, without places in the source, to an empty
   schedule. */
void schedule_copy(struct schedule *to, const struct schedule *from);
/* Returns the schedule's own copy of a text, equal for equal texts. Returns NULL for NULL. */
const char *schedule_text(struct schedule *s, const char *text);
/* Returns the index of the thread, which is added if it is new. */
unsigned schedule_thread(struct schedule *s, const char *id);
/* Returns true if the thread with this index is a timer. */
bool schedule_is_timer(const struct schedule *s, unsigned thread);
/* Records the name of a module, so that its addresses can be printed. */
void schedule_module(struct schedule *s, const char *name);
/* Returns the name of the address's module, or NULL if it is not recorded. */
const char *schedule_module_at(const struct schedule *s, uint64_t address);
/* Moves all addresses in module `from` to the module `to`. */
void schedule_rename_module(struct schedule *s, const char *from, const char *to);
/* Returns a hash, equal for schedules that pass the same points in the same order. */
uint64_t schedule_digest(const struct schedule *s);

/* Returns a strategy that follows the schedule exactly. The caller frees it. */
struct strategy *schedule_guide(const struct schedule *s);

/* The file `schedule`: text for people, and what a replay compares with. README.md specifies it. */

/* First words of a schedule of any format. */
#define SCHEDULE_WORDS "# gatectl schedule "

/* Lines before the steps. A key may occur more than once, in order. */
struct schedule_option {
	char *key, *value;
};
struct schedule_head {
	char *program; /* program and its arguments; NULL: unknown */
	ARRAY(struct schedule_option) options;
};
/* Frees what the head owns. */
void schedule_head_fini(struct schedule_head *h);
/* Adds copies. A key has letters, digits, - and _, and is not "steps". */
void schedule_option_add(struct schedule_head *h, const char *key, const char *value);
/* Returns the k-th value of the key, from 0, or NULL. */
const char *schedule_option(const struct schedule_head *h, const char *key, size_t k);

/* Returns the name of the operation in schedules, such as "lock". */
const char *schedule_op(enum strategy_op op);

/* Appends a line for each wait among the first `count` steps that returns without a signal. */
void schedule_add_spurious(const struct schedule *s, size_t count, struct str *out);
/* Adds the text of the file to `out`. */
void schedule_print(const struct schedule *s, const struct schedule_head *h, struct str *out);
/* Parses into an empty schedule and head. Returns 0, or -1 with ERROR_SCRIPT and a text that
   begins with SOURCE:LINE. The caller frees `s` and `h` in both cases. */
int schedule_parse(const char *text, const char *source, struct schedule *s,
		   struct schedule_head *h, struct error *err);

/* Minimisation of a failing schedule: fewest preemptions, then fewest switches. README.md describes
   the search. The caller runs the program and reports the outcome. */

struct segments {
	struct strategy_segment *items;
	size_t count, capacity;
};
/* Adds the segments of the schedule. The caller frees them with array_fini(). */
void schedule_segments(const struct schedule *s, struct segments *out);
/* Returns the number of preemptions. */
size_t schedule_preemptions(const struct schedule *s);

struct minimise {
	void *ctx;
	/* Returns 1 if the run failed in the same way, with its schedule in `came` (empty
	   before); 0 if it did not; -1 to stop. */
	int (*run)(void *ctx, const struct segments *wanted, struct schedule *came);
	bool (*is_over)(void *ctx); /* true at a time limit or signal; NULL: never */
	unsigned long most;	    /* limit of `tries` */
	/* The result: */
	unsigned long tries;
	bool is_minimal; /* no single preemption can be omitted; false if the tries were used up */
};

/* Replaces the failing schedule in `s` by the smallest one found. Returns 0, or -1 if run()
   stopped the search. */
int schedule_minimise(struct minimise *m, struct schedule *s);

/* Addresses in schedules: the hash of a module's name (24 bits, the highest is set) and an
   offset (40 bits), equal in every process and on every machine. */

enum { ADDRESS_OFFSET_BITS = 40 };

/* Returns the number of the module's offset 0. It is never 0, which means no address. */
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
