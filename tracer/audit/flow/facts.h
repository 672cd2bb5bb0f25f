/*
 * What functions do with objects and locks, as far as their callers may know: terms are the function's own, its
 * parameters stand for whatever is given. Lists that belong to an access or an acquisition are the program's memory.
 */
#ifndef GATECTL_AUDIT_FLOW_FACTS_H
#define GATECTL_AUDIT_FLOW_FACTS_H

#include "tracer/audit/flow/term.h"

enum audit_mode {
	HELD_SHARED,
	HELD_ALONE,
	HELD_LEFT,   /* the caller's was released here */
	HELD_BACK,   /* ... and taken again */
	HELD_GIVEN,  /* it is released later here, and was not taken: some caller has to have it */
	HELD_WANTED, /* ... and this caller has it not, as far as is seen */
};

struct audit_held {
	unsigned lock; /* its address */
	enum audit_mode mode;
	bool is_given; /* taken in a function that was called */
	/* What was loaded and decided that it is taken: 0: nothing; and whether the opposite was found since then. */
	unsigned under;
	bool under_zero, is_unsure;
	struct audit_place at;
};

/* The same locks are the same items. */
struct audit_helds {
	const struct audit_held *items;
	unsigned count;
};

/* It comes to this only where parameters are 0, or are not: each is 2 * (parameter + 1) + is_zero; 0: no more of them. */
enum { CONDITIONS_MOST = 4 };
struct audit_conditions {
	unsigned items[CONDITIONS_MOST];
};

/* One place, or what a call there does in the end: `inner` then. */
struct audit_access {
	unsigned address, field; /* field: of the program's + 1; 0: a global's own */
	bool reads, writes, is_atomic, is_volatile; /* volatile: see audit_expr */
	bool alone;		  /* no thread was made yet, on the way from main */
	bool late;		  /* ... or threads were waited for */
	bool is_first;		  /* it is written where it was found to be 0 */
	bool is_settled;	  /* its object's own lock is held: callers need not know of it */
	bool is_before;		  /* ... the thread that the object is given has begun */
	unsigned function, depth; /* function: index; depth: calls down to `inner` */
	struct audit_place at;
	struct audit_helds held;
	struct audit_conditions when;
	const struct audit_access *inner;
};

struct audit_acquisition {
	unsigned lock;
	bool is_shared, is_ordered; /* ordered: the addresses were compared */
	bool is_again;		    /* the caller's was released before: a wait for a condition */
	unsigned function;
	struct audit_place at;
	struct audit_helds held;
	struct audit_conditions when;
	const struct audit_acquisition *inner;
};

enum audit_change {
	CHANGE_TAKES,
	CHANGE_LEAVES,
	CHANGE_MAY_TAKE, /* the result says whether it did: see tried */
};

struct audit_effect {
	enum audit_change change;
	unsigned lock, tried;
	bool is_shared;
	struct audit_conditions when;
};

/* What is put where: the object's address, stored at an address. */
struct audit_stored {
	unsigned object, address;
	bool is_part; /* only the address of a part of it */
};

/* A thread that is made: what it begins with, what it is given, and where its handle is. */
struct audit_start {
	unsigned function, given, handle;
};

enum audit_progress { FACTS_NONE, FACTS_BEGUN, FACTS_DONE };

struct audit_facts {
	enum audit_progress progress;
	ARRAY(const struct audit_access *) accesses;
	ARRAY(const struct audit_acquisition *) acquisitions;
	ARRAY(struct audit_effect) effects;
	ARRAY(struct audit_stored) stored;
	ARRAY(unsigned) made;	 /* objects that it initialises, or ends: nobody else has them */
	ARRAY(unsigned) freed;	 /* objects */
	ARRAY(unsigned) spared;	 /* ... that it leaves as they are on some way out */
	ARRAY(unsigned) counted; /* addresses of fields that it changes by what they were */
	ARRAY(unsigned) inits;	 /* locks that it initialises, or destroys */
	ARRAY(unsigned) given;	 /* objects given to a new thread */
	ARRAY(unsigned) begun;	 /* ... each to one of its own */
	ARRAY(struct audit_start) starts; /* threads whose function the caller names */
	ARRAY(unsigned)
	out; /* parameters that point to where a new object is put, which nobody else has */
	unsigned result; /* a term; 0: unknown */
	bool makes_threads, joins_threads, never_returns, is_once;
};

#endif
