/* The steps of a search: what the folders of this room share. */
#ifndef GATECTL_HARNESS_HUNT_H
#define GATECTL_HARNESS_HUNT_H

#include "tracer/harness/harness.h"

/* Seconds that are left of --for; 0: no limit. Negative: none. */
double harness_left(const struct harness_hunt *h);

/* ---- object/object.c ------------------------------------------------------------------------- */

/* From signatures to an object with operations: what is guessed, and what the tester has said.
   Returns 0, or -1 with h->x.err set; so do all below. */
int harness_object(struct harness_hunt *h);

/* ---- build/build.c --------------------------------------------------------------------------- */

/* A short-lived folder, the link command of the library, and h->module with its debug
   information. */
int harness_library(struct harness_hunt *h);
/* Makes h->program of the object as it is now. */
int harness_compile(struct harness_hunt *h);
/* The command that makes the program `to` of the file `from`. */
void harness_command(const struct harness_hunt *h, const char *to, const char *from,
		     struct str *out);
/* Runs a command of the shell. Its output goes to *out. Returns 0, or -1 if its status is not 0. */
int harness_shell(const char *command, struct str *out);
char *harness_path(const struct harness_hunt *h, const char *name); /* in the folder */

/* ---- check/orders.c: whole calls, one after the other ---------------------------------------- */

enum {
	ORDER_CALLS = SCHEMA_SIZE,
	/* In the text of an order, the call and so many times the thread that makes it. */
	ORDER_THREAD = 65536,
};

enum order_end {
	ORDER_UNKNOWN, /* not run yet */
	ORDER_OK,
	ORDER_UNMADE,  /* there is no object: the constructor has failed */
	ORDER_BLOCKED, /* a call did not return and was stopped */
	ORDER_SIGNAL,
	ORDER_EXIT,
};

/* The state of a call when it was stopped, by the numbers of the program. */
enum order_stop {
	ORDER_SLEEPS = 1, /* in a futex, without a limit */
	ORDER_COMPUTES,	  /* for a quarter of a second of processor time */
	ORDER_WAITS, /* half a second asleep, in a call with a limit; or five seconds of both */
};

struct harness_order {
	unsigned count,
		calls[ORDER_CALLS]; /* % ORDER_THREAD; by thread / ORDER_THREAD, 0 the first */
	enum order_end end;
	int number;		  /* of the signal; the status; an order_stop */
	int done;		  /* calls that returned; -1: the object was not made yet */
	char *given[ORDER_CALLS]; /* "push(1)=0" */
};

/* The index of the sequence, which is added if it is new. */
size_t harness_orders_want(struct harness_orders *o, const unsigned *calls, unsigned count);
/* Valid until the next one is wanted. */
const struct harness_order *harness_orders_get(const struct harness_orders *o, size_t index);
/* Runs all that were not run yet, twice, by two processes, until --for is over. An order that
   starts like one that did not return is not run: it ends there, too. `*varied`: the results of
   an operation differ from run to run; it is marked, and all orders are to be run again by a
   program that is compiled again. */
int harness_orders_run(struct harness_hunt *h, bool *varied);
void harness_orders_clear(struct harness_hunt *h); /* there are none yet */
void harness_orders_free(struct harness_hunt *h);

/* ---- check/atomic.c: which outcomes of a harness are atomic ---------------------------------- */

enum harness_use {
	HARNESS_USABLE,
	HARNESS_MAY_STOP, /* in some order whole calls end in a state where every thread waits for ever */
	HARNESS_FAILS, /* in some order whole calls crash, end the program, or differ from run to run */
};

struct harness_atomic {
	struct outcomes outcomes;
	enum harness_use use;
	bool concerned; /* the order matters, and operations that only read see what others do */
};

/* The orders run together with others, at the next harness_atomic(). */
void harness_atomic_want(struct harness_hunt *h, const struct schema *s);
/* Runs every order that keeps each thread's own; the outcomes are of those that end. */
int harness_atomic(struct harness_hunt *h, const struct schema *s, struct harness_atomic *out);
/*
 * The same again with each thread's calls made by a thread: an object may keep something for each
 * of them, as a list of what it has put in. What such orders give is added to *out, or explained
 * there.
 */
int harness_atomic_in_threads(struct harness_hunt *h, const struct schema *s, struct outcomes *out);

/* ---- check/probe.c: what is found out about operations by calling them ----------------------- */

/*
 * Compiles, and finds: does the constructor give an object, which operations can be called at all,
 * which only read, which give something else every time, and which make the final observation.
 */
int harness_probe(struct harness_hunt *h);
/* The calls after the threads: those that only read, then what is left is taken out. Returns
   their number. */
unsigned harness_final(const struct harness_hunt *h, const struct schema *s,
		       unsigned calls[ORDER_CALLS]);

/* ---- check/search.c: one harness, searched --------------------------------------------------- */

struct harness_sought {
	struct schema schema;
	struct outcomes outcomes; /* the atomic ones, and those that came */
	unsigned long runs;
	unsigned level;	 /* how often it was searched */
	bool prepared;	 /* the atomic outcomes are known */
	bool in_threads; /* ... also those of orders in threads */
	bool concerned;	 /* as harness_atomic says; those that are come first */
	bool out;	 /* it is not searched any more */
};

/* So many runs more. `*violated`: an outcome came that is not atomic, or the program failed; the
   violation is in h. */
int harness_search(struct harness_hunt *h, struct harness_sought *s, unsigned long runs,
		   bool *violated);

/* ---- check/weaken.c: --weaken, outcomes that a contract allows ------------------------------- */

/* Reads the files. */
int harness_weaken(struct harness_hunt *h);
/* Outcomes that came and are allowed count as atomic from now on. Returns their number, or -1. */
int harness_allow(struct harness_hunt *h, struct outcomes *o);

/* ---- check/found.c: DIR/N with test.c, gates.lua, README.md and outcomes.txt ----------------- */

/* Writes the test, compiles it and searches it, for a script. */
int harness_found(struct harness_hunt *h, struct harness_violation *v);
void harness_violation_fini(struct harness_violation *v);

#endif
