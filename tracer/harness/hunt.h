/* Interfaces between the folders of tracer/harness. */
#ifndef GATECTL_HARNESS_HUNT_H
#define GATECTL_HARNESS_HUNT_H

#include "tracer/harness/harness.h"

/* Returns the seconds left of --for, 0 if there is no limit, negative if none are left. */
double harness_left(const struct harness_hunt *h);

/* Returns the seconds that the trial of operations may still compute, 0 if there is no limit,
   negative if none are left. */
double harness_trial_left(const struct harness_hunt *h);

/* ---- object/object.c ------------------------------------------------------------------------- */

/* Makes the object and its operations of the signatures and options. Returns 0, or -1 with h->x.err
   set. */
int harness_object(struct harness_hunt *h);

/* ---- build/build.c --------------------------------------------------------------------------- */

/* Makes the temporary folder and the link command; opens h->module with its debug information.
   Returns 0, or -1 with h->x.err set. */
int harness_library(struct harness_hunt *h);
/* File of harness_try(), beside both programs of an object that may throw. */
#define HARNESS_CATCH "catch.cc"
/* Writes it, if exceptions are results. Returns 0, or -1 with h->x.err set. */
int harness_write_catch(struct harness_hunt *h, const char *folder);
/* Compiles h->program for the current calls of the object. Returns 0, or -1 with h->x.err set. */
int harness_compile(struct harness_hunt *h);
/* Appends the command that compiles the file `from` to the program `to`. */
void harness_command(const struct harness_hunt *h, const char *to, const char *from,
		     struct str *out);
/* Runs a shell command and appends its output to *out. Returns 0, or -1 if its status is not 0. */
int harness_shell(const char *command, struct str *out);
/* Returns the path of a file in the temporary folder; the caller frees it. */
char *harness_path(const struct harness_hunt *h, const char *name);

/* ---- check/orders.c: sequential orders ------------------------------------------------------- */

enum {
	ORDER_CALLS = SCHEMA_SIZE,
	/* A call of an order is its number plus ORDER_THREAD times the thread. */
	ORDER_THREAD = 65536,
};

enum order_end {
	ORDER_UNKNOWN, /* the order was not run yet */
	ORDER_OK,
	ORDER_UNMADE,  /* the constructor gave no object */
	ORDER_BLOCKED, /* a call did not return; its process was killed */
	ORDER_SIGNAL,
	ORDER_EXIT,
};

/* State of a call that did not return; the generated program uses the same numbers. */
enum order_stop {
	ORDER_SLEEPS = 1, /* waits for a futex without a timeout */
	ORDER_COMPUTES,	  /* used a quarter of a second of processor time */
	/* Slept half a second in a call with a timeout, or five seconds passed. */
	ORDER_WAITS,
};

struct harness_order {
	/* Calls, encoded with ORDER_THREAD; thread 0 is the first. */
	unsigned count, calls[ORDER_CALLS];
	enum order_end end;
	int number;		  /* signal, exit status or enum order_stop */
	int done;		  /* calls that returned; -1 if the object was not made */
	bool is_run;		  /* false: the time ended before */
	char *given[ORDER_CALLS]; /* "push(1)=0" */
};

/* Adds the sequence if it is new. Returns its index. */
size_t harness_orders_want(struct harness_orders *o, const unsigned *calls, unsigned count);
/* Returns an order, valid until the next harness_orders_want(). */
const struct harness_order *harness_orders_get(const struct harness_orders *o, size_t index);
/* Runs new orders twice, many in one process, until --for is over. Orders that begin like one that
   did not return are not run. Sets *varied, and op->varies, if an operation's results differ:
   recompile and run all again. Returns 0, or -1 with h->x.err set. */
int harness_orders_run(struct harness_hunt *h, bool *varied);
void harness_orders_clear(struct harness_hunt *h); /* Forgets all orders. */
/* Frees h->orders. */
void harness_orders_free(struct harness_hunt *h);

/* Appends how the order's last call ends: "blocks for ever" (check/probe.c). */
void harness_say_end(const struct harness_order *o, struct str *out);

/* ---- check/stuck.c: calls that do not end ---------------------------------------------------- */

/* Notes an order for which a harness is left out; the shortest for each operation is kept. */
void harness_note_stuck(struct harness_hunt *h, const struct harness_order *o);
/* Makes a run of each to see where it stands. Returns 0, or -1 with h->x.err set. */
int harness_look_where_stuck(struct harness_hunt *h);
/* Frees h->stuck. */
void harness_stuck_fini(struct harness_hunt *h);

/* ---- check/atomic.c: linearizable outcomes --------------------------------------------------- */

enum harness_use {
	HARNESS_USABLE,
	/* Some sequential order ends in a state where every thread waits forever. */
	HARNESS_MAY_STOP,
	/* Some sequential order crashes, ends the program or varies between runs. */
	HARNESS_FAILS,
};

struct harness_atomic {
	struct outcomes outcomes;
	enum harness_use use;
	/* The order of calls matters, and each read-only call sees changes of others. */
	bool concerned;
};

/* Adds the harness's orders to those that the next harness_atomic() runs. */
void harness_atomic_want(struct harness_hunt *h, const struct schema *s);
/* Runs every sequential order that keeps each thread's own order; the outcomes are those of orders
   that end. Returns 0, or -1 with h->x.err set. */
int harness_atomic(struct harness_hunt *h, const struct schema *s, struct harness_atomic *out);
/* Runs the orders with the calls of each thread in a thread of its own, since an object may keep
   data for each thread. Adds the outcomes, or their orders, to *out. Returns 0, or -1 with h->x.err
   set. */
int harness_atomic_in_threads(struct harness_hunt *h, const struct schema *s, struct outcomes *out);

/* ---- check/probe.c: properties of operations ------------------------------------------------- */

/* Compiles the program and calls the operations. Finds whether the constructor works and which
   operations can be called, only read, vary, or make the final observation. Returns 0, or -1 with
   h->x.err set. */
int harness_probe(struct harness_hunt *h);
/* Fills the calls made after the threads end: observers, then calls that remove what is left.
   Returns their number. */
unsigned harness_final(const struct harness_hunt *h, const struct schema *s,
		       unsigned calls[ORDER_CALLS]);

/* ---- check/search.c: search of one harness --------------------------------------------------- */

struct harness_sought {
	struct schema schema;
	struct outcomes outcomes; /* linearizable outcomes, and those that occurred */
	unsigned long runs;
	unsigned level;	 /* number of searches so far */
	bool prepared;	 /* the linearizable outcomes are known */
	bool in_threads; /* outcomes of harness_atomic_in_threads() are known */
	bool concerned;	 /* as in harness_atomic; such candidates come first */
	bool out;	 /* the candidate is not searched any more */
};

/* Makes `runs` more runs. Sets *violated if an outcome was not linearizable or the program failed;
   the violation is the last of h->violations. Returns 0, or -1 with h->x.err set. */
int harness_search(struct harness_hunt *h, struct harness_sought *s, unsigned long runs,
		   bool *violated);

/* ---- check/reduce.c: the smallest harness ---------------------------------------------------- */

/* Replaces the last violation by one of a harness with fewer calls, as long as one is found.
   Returns 0, or -1 with h->x.err set. */
int harness_reduce(struct harness_hunt *h);

/* ---- check/verdict.c: a verdict for each operation ------------------------------------------- */

/* Counts a search of so many runs for the operations of the harness; is_first: its first one. */
void harness_note_searched(struct harness_hunt *h, const struct harness_sought *s,
			   unsigned long runs, bool is_first);
/* Returns the thread of the harness, from 0, that test.c's thread makes, or -1. */
int harness_column(const struct schedule *s, unsigned thread);
/* Finds the operations that the violation is due to; `f` is its failure in test.c, or NULL. */
void harness_blame(struct harness_hunt *h, const struct harness_violation *v,
		   const struct explore_failure *f);

/* ---- check/weaken.c: --weaken, outcomes that a contract allows ------------------------------- */

/* Loads the files of --weaken. Returns 0, or -1 with h->x.err set. */
int harness_weaken(struct harness_hunt *h);
/* Marks outcomes that occurred and that --weaken allows as linearizable. Returns their number, or
   -1. */
int harness_allow(struct harness_hunt *h, struct outcomes *o);

/* ---- check/found.c: DIR/N with test.c, gates.lua, README.md and outcomes.txt ----------------- */

/* Writes the test to DIR/N, compiles it and searches for a script that forces the violation.
   Returns 0, or -1 with h->x.err set. */
int harness_found(struct harness_hunt *h, struct harness_violation *v);
/* Frees what the violation owns. */
void harness_violation_fini(struct harness_violation *v);

#endif
