/*
 * What a function does with objects and locks, as its callers see it (compositional, as RacerD:
 * Blackshear et al. 2018). Objects, addresses and locks are terms: paths of accesses. The
 * function's parameters stand for what the caller passes. Accesses, acquisitions and locksets are
 * the program's memory.
 */
#ifndef GATECTL_AUDIT_FLOW_FACTS_H
#define GATECTL_AUDIT_FLOW_FACTS_H

#include "tracer/audit/frontend/program.h"
#include "tracer/base/text/str.h"

/* ---- terms ----------------------------------------------------------------------------------- */

/*
 * A term is a pointer or a value, as far as the text of a function says: parameter 1; the field
 * `head` of what it points to; what was loaded from there. Equal terms have the same number. An
 * address that was loaded twice from one place counts as one address.
 */
enum term_kind {
	TERM_UNKNOWN,
	TERM_CONSTANT,	/* a: the number */
	TERM_PARAMETER, /* a: the parameter's index; its value */
	TERM_GLOBAL,	/* a: USR; its address */
	TERM_LOCAL,	/* a: function's USR, b: local; its address */
	TERM_PRIVATE,	/* a: site; the address of a variable of one thread */
	TERM_FUNCTION,	/* a: USR */
	TERM_FRESH,	/* a: site of the call that allocated it, b: 1 if zeroed */
	TERM_SITE,	/* a: site; its value in the latest evaluation */
	TERM_JOIN,	/* a: number of the block, b: local; one of several values */
	TERM_RESULT,	/* the function's result; in effects alone */
	TERM_TRIED,	/* a: term of a lock, b: an audit_tried */
	/* Steps from the term a: */
	TERM_LOAD,    /* the value at that address */
	TERM_FIELD,   /* b: index of a field; its address in the struct at that address */
	TERM_ELEMENT, /* the address of an element of the array at that address */
	TERM_DERIVED, /* a value computed from it */
	TERM_EQUAL,   /* b: a number; whether the value is that number */
};

/* When the result of a try means that the lock is held, and how. Bits. */
enum audit_tried { TRIED_ZERO = 0, TRIED_NOT_ZERO = 1, TRIED_SHARED = 2 };

struct term {
	enum term_kind kind;
	unsigned a, b;
};

struct terms {
	ARRAY(struct term) all; /* the first is TERM_UNKNOWN */
	struct number_map index;
};

/* Returns 0 for what is unknown or too deep. */
unsigned term_of(struct terms *t, enum term_kind kind, unsigned a, unsigned b);
static inline struct term term_at(const struct terms *t, unsigned term)
{
	return t->all.items[term];
}
static inline enum term_kind term_kind(const struct terms *t, unsigned term)
{
	return t->all.items[term].kind;
}
/* Without the elements of arrays at its end. */
struct term term_whole(const struct terms *t, unsigned term);
/* The object that an address is part of: without fields and elements at the end. */
unsigned term_object(const struct terms *t, unsigned term);
/* Without any steps. */
unsigned term_root(const struct terms *t, unsigned term);
/* True if `part` is the term itself or one that its steps start from. */
bool term_contains(const struct terms *t, unsigned term, unsigned part);
/* The term with `by` in the place of `part`. */
unsigned term_replace(struct terms *t, unsigned term, unsigned part, unsigned by);

/* Values for the parameters of a function that is called. */
struct term_binding {
	const unsigned *arguments;
	unsigned count, result;			       /* result: for TERM_RESULT */
	unsigned (*load)(void *ctx, unsigned address); /* the value there, or 0; may be NULL */
	void *ctx;
};
/* A term of the called function as one of the caller; 0 if the caller does not know it. */
unsigned term_bind(struct terms *t, unsigned term, const struct term_binding *b);
/* The same; an unknown root becomes some object. */
unsigned term_bind_or_any(struct terms *t, unsigned term, const struct term_binding *b);
/* C text of the term ("q->head"). `f` has the names of parameters and locals. */
void term_print(const struct terms *t, const struct audit_program *p,
		const struct audit_function *f, unsigned term, struct str *out);
void terms_fini(struct terms *t);

/* ---- locksets -------------------------------------------------------------------------------- */

/* How a lock is held, relative to the entry of the function. */
enum audit_mode {
	HELD_SHARED,
	HELD_ALONE,
	HELD_LEFT,   /* the caller's lock, released here */
	HELD_BACK,   /* ... and taken again */
	HELD_GIVEN,  /* released later here and not taken here: some caller holds it */
	HELD_WANTED, /* ... and this caller does not hold it, as far as is known */
};

struct audit_held {
	unsigned lock; /* its address */
	enum audit_mode mode;
	bool is_given; /* taken in a function that was called */
	/* The loaded value whose test decided that the lock is taken (0: none); is_unsure: the
	   opposite result was found since. */
	unsigned under;
	bool under_zero, is_unsure;
	struct audit_place at;
};

/* Equal locksets share their items. */
struct audit_helds {
	const struct audit_held *items;
	unsigned count;
};

/* The place is reached only if these parameters are 0 or not: 2 * (parameter + 1) + is_zero
   each, 0 after the last. */
enum { CONDITIONS_MOST = 4 };
struct audit_conditions {
	unsigned items[CONDITIONS_MOST];
};

/* ---- what a function does -------------------------------------------------------------------- */

enum audit_access_flag {
	ACCESS_READS = 1,
	ACCESS_WRITES = 2,
	ACCESS_ATOMIC = 4,
	ACCESS_VOLATILE = 8,  /* see audit_expr */
	ACCESS_ALONE = 16,    /* main has not made a thread yet */
	ACCESS_LATE = 32,     /* threads were joined before */
	ACCESS_FIRST = 64,    /* written where it was found to be 0 */
	ACCESS_SETTLED = 128, /* the lock of its own object is held: callers' locks do not matter */
	ACCESS_BEFORE = 256,  /* before the start of the thread that the object is passed to */
};

/* An access here, or (`inner`) one of a function that is called here. */
struct audit_access {
	unsigned address, field; /* field: of the program's + 1; 0: a global's own */
	unsigned flags;
	unsigned function, depth; /* function: index; depth: calls down to the innermost access */
	struct audit_place at;
	struct audit_helds held;
	struct audit_conditions when;
	const struct audit_access *inner;
};

struct audit_acquisition {
	unsigned lock;
	bool is_ordered; /* the function compares addresses */
	bool is_again;	 /* the caller's lock was released before: a wait for a condition */
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

/* The lockset at the exits, relative to the entry. */
struct audit_effect {
	enum audit_change change;
	unsigned lock, tried;
	bool is_shared;
	struct audit_conditions when;
};

/* In the order in which a caller applies them. */
enum audit_deed_kind {
	DEED_STORED, /* the object is put at the address; flag: only the address of a part of it */
	DEED_GIVEN,  /* the object is passed to a new thread */
	DEED_INIT,   /* the lock is initialised or destroyed */
	DEED_BEGUN,  /* the object is passed to a thread of its own */
	DEED_START, /* a thread whose function the caller names: function (address), object, handle */
	DEED_COUNTED, /* the field at the address is changed by its own value */
	DEED_FREED,   /* flag: not on every path */
	DEED_MADE,    /* initialised or ended: no other thread has the object */
	DEED_OUT, /* parameter (an index) points to where a new object is put that no thread has */
};

struct audit_deed {
	enum audit_deed_kind kind;
	unsigned object, address, handle;
	bool flag;
};

enum audit_progress { FACTS_NONE, FACTS_BEGUN, FACTS_DONE };

struct audit_facts {
	enum audit_progress progress;
	ARRAY(struct audit_access *) accesses;
	ARRAY(const struct audit_acquisition *) acquisitions;
	ARRAY(struct audit_effect) effects;
	ARRAY(struct audit_deed) deeds; /* by kind */
	unsigned result;		/* a term; 0: unknown */
	bool makes_threads, joins_threads, never_returns, is_once;
};

#endif
