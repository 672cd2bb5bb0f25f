/* Summary of a function for its callers (compositional, as RacerD: Blackshear et al. 2018).
   Objects, addresses and locks are terms (access paths) whose parameters stand for the caller's
   arguments. Accesses, acquisitions and locksets are in the program's memory. */
#ifndef GATECTL_AUDIT_FLOW_FACTS_H
#define GATECTL_AUDIT_FLOW_FACTS_H

#include "tracer/audit/frontend/program.h"
#include "tracer/base/text/str.h"

/* ---- terms ----------------------------------------------------------------------------------- */

/* A term is a pointer or value in terms of the function's text: parameter 1; the field `head` of
   what it points to; what was loaded from there. Equal terms have equal numbers. Two loads from one
   address give the same term. */
enum term_kind {
	TERM_UNKNOWN,
	TERM_CONSTANT,	/* a: the number */
	TERM_PARAMETER, /* a: index of the parameter; its value */
	TERM_GLOBAL,	/* a: USR; its address */
	TERM_LOCAL,	/* a: USR of the function, b: local; its address */
	TERM_PRIVATE,	/* a: site; address of a thread-local variable */
	TERM_FUNCTION,	/* a: USR */
	/* a: site of the call that allocated it, b: enum audit_fresh. */
	TERM_FRESH,
	TERM_SITE, /* a: site; value of its latest evaluation; b: local + 1 that it changes, or 0 */
	TERM_JOIN, /* a: number of the block, b: local; join of several values */
	TERM_RESULT, /* the function's result; only in effects */
	TERM_TRIED,  /* a: term of a lock, b: tried_of() */
	/* Steps from the term a: */
	TERM_LOAD, /* the value at that address */
	/* b: index of a field; its address in the struct at that address. */
	TERM_FIELD,
	TERM_ELEMENT, /* address of an element of the array at that address */
	TERM_DERIVED, /* a value computed from a */
	TERM_EQUAL,   /* b: a number; whether the value equals it */
	TERM_ABOVE,   /* b: a number; whether the value is greater */
	TERM_BITS,    /* b: a mask; these bits of the value */
};

/* A value is in one of three sets, by its sign; a set of these is what is known of a value. The
   signs of a truth value are those of 0 and 1. */
enum audit_sign {
	SIGN_NEGATIVE = 1,
	SIGN_ZERO = 2,
	SIGN_POSITIVE = 4,
	SIGN_NOT_ZERO = SIGN_NEGATIVE | SIGN_POSITIVE,
	SIGN_TRUTH = SIGN_ZERO | SIGN_POSITIVE,
	SIGN_ANY = SIGN_NOT_ZERO | SIGN_ZERO,
};

/* The result of a call that takes a lock, or releases it, on some paths: its signs where that was
   done and where it was not, 3 bits each, and flags. */
enum audit_tried {
	TRIED_FAILED = 3, /* shift of the signs where it was not done */
	TRIED_SHARED = 64,
	TRIED_LEAVES = 128, /* releases the lock */
	TRIED_FLAGS = TRIED_SHARED | TRIED_LEAVES,
};

static inline unsigned tried_of(unsigned done, unsigned failed, unsigned flags)
{
	return done | failed << TRIED_FAILED | flags;
}
static inline unsigned tried_done(unsigned tried)
{
	return tried & SIGN_ANY;
}
static inline unsigned tried_failed(unsigned tried)
{
	return tried >> TRIED_FAILED & SIGN_ANY;
}

struct term {
	enum term_kind kind;
	unsigned a, b;
};

struct terms {
	ARRAY(struct term) all; /* the first is TERM_UNKNOWN */
	struct number_map index;
};

/* Bits of a new object. FRESH_OLDER: from an earlier evaluation of its site, as in a loop. */
enum audit_fresh { FRESH_ZEROED = 1, FRESH_OLDER = 2 };

/* Returns the number of a term, adding it if new; 0 if it is unknown or too deep. */
unsigned term_of(struct terms *t, enum term_kind kind, unsigned a, unsigned b);
static inline struct term term_at(const struct terms *t, unsigned term)
{
	return t->all.items[term];
}
static inline enum term_kind term_kind(const struct terms *t, unsigned term)
{
	return t->all.items[term].kind;
}
/* Returns the term without array elements at its end. */
struct term term_whole(const struct terms *t, unsigned term);
/* Returns the object that an address is part of: the term without fields and elements at its
   end. */
unsigned term_object(const struct terms *t, unsigned term);
/* Returns the term without any steps. */
unsigned term_root(const struct terms *t, unsigned term);
/* Returns true if a caller of the function can name the term. */
bool term_is_known_outside(const struct terms *t, unsigned term);
/* Returns true if `part` is the term or a prefix of its steps. */
bool term_contains(const struct terms *t, unsigned term, unsigned part);
/* Returns the term with `part` replaced by `by`. */
unsigned term_replace(struct terms *t, unsigned term, unsigned part, unsigned by);

/* Values for the parameters of a called function. */
struct term_binding {
	const unsigned *arguments;
	unsigned count, result; /* value for TERM_RESULT */
	/* Returns the value there, or 0; may be NULL. */
	unsigned (*load)(void *ctx, unsigned address);
	void *ctx;
};
/* Translates a term of the called function to the caller. Returns 0 if the caller does not know
   it. */
unsigned term_bind(struct terms *t, unsigned term, const struct term_binding *b);
/* Translates a term; an unknown root becomes an unspecified object. */
unsigned term_bind_or_any(struct terms *t, unsigned term, const struct term_binding *b);
/* Appends the C text of the term ("q->head"). `f` has the names of parameters and locals. */
void term_print(const struct terms *t, const struct audit_program *p,
		const struct audit_function *f, unsigned term, struct str *out);
/* Frees all terms. */
void terms_fini(struct terms *t);

/* ---- locksets -------------------------------------------------------------------------------- */

/* Mode of a lock, relative to the entry of the function. */
enum audit_mode {
	HELD_SHARED,
	HELD_ALONE,
	HELD_LEFT,  /* the caller's lock, released here */
	HELD_BACK,  /* the caller's lock, released here and taken again */
	HELD_GIVEN, /* released later here but not taken here: some caller holds it */
	/* HELD_GIVEN in a callee, and this function does not hold it as far as known. */
	HELD_WANTED,
};

struct audit_held {
	unsigned lock; /* term of its address */
	enum audit_mode mode;
	/* Loaded value whose test decided that the lock is taken, or 0, and its signs. is_unsure:
	   the opposite result of that test was found later, or the lock may have been released. */
	unsigned under, under_signs;
	bool is_unsure;
	struct audit_place at;
};

/* A lockset. Equal interned locksets share their items. */
struct audit_helds {
	const struct audit_held *items;
	unsigned count;
};

/* Path condition: each of these parameters, or the bits of it, equals a number, or does not. */
enum { CONDITIONS_MOST = 4 };
struct audit_condition {
	unsigned parameter; /* index + 1; 0 ends the list */
	unsigned mask;	    /* bits of the argument that are compared; 0 for all */
	unsigned number;
	bool is_equal;
};
struct audit_conditions {
	struct audit_condition items[CONDITIONS_MOST];
};

/* Moment in a function, by the threads that it and its callees have made. */
enum audit_moment {
	MOMENT_BEFORE, /* no thread was made yet */
	MOMENT_SHARED,
	MOMENT_JOINED, /* threads were joined, and none was made since */
};

/* ---- facts of a function --------------------------------------------------------------------- */

enum audit_access_flag {
	ACCESS_READS = 1,
	ACCESS_WRITES = 2,
	ACCESS_ATOMIC = 4,
	ACCESS_VOLATILE = 8, /* see struct audit_expr */
	ACCESS_ALONE = 16,   /* neither the function nor its callees have made a thread yet */
	ACCESS_LATE = 32,    /* after a join of threads */
	ACCESS_FIRST = 64,   /* written after a test found it to be 0 */
	/* The object's own lock is held, so that callers' locks do not matter, or its struct has no
	   lock: only the locks that all callers hold are known. */
	ACCESS_SETTLED = 128,
	ACCESS_UNKNOWN = 512, /* by an unknown function, which may do so */
	/* Made with a lock on other paths, which take it by a condition that no parameter decides;
	   no path releases it before. */
	ACCESS_ASKED = 1024,
	ACCESS_BEFORE = 256, /* before the start of the thread that the object is passed to */
};

/* An access of this function, or (`inner` not NULL) of one that it calls. */
struct audit_access {
	/* `field` is an index of the program's fields + 1; 0 for a global itself. */
	unsigned address, field;
	unsigned flags;
	/* Index of the function, and of its block; number of calls down to the innermost access. */
	unsigned function, block, depth;
	struct audit_place at;
	struct audit_helds held;
	struct audit_conditions when;
	const struct audit_access *inner;
};

struct audit_acquisition {
	unsigned lock;
	bool is_ordered; /* the function compares addresses, which orders the locks */
	/* The caller's lock was released before, as by a condition wait. */
	bool is_again;
	bool is_guess; /* by a pointer that may call several functions */
	enum audit_moment moment;
	unsigned function;
	struct audit_place at;
	struct audit_helds held;
	struct audit_conditions when;
	const struct audit_acquisition *inner;
};

enum audit_change { CHANGE_TAKES, CHANGE_LEAVES };

/* Effect on the lockset at the exits, relative to the entry. */
struct audit_effect {
	enum audit_change change;
	/* tried: tried_of() if the sign of the result tells whether it was done, or 0. */
	unsigned lock, tried;
	bool is_shared;
	struct audit_conditions when;
};

/* Effects on objects, in the order in which a caller applies them. */
enum audit_deed_kind {
	/* The object is stored at the address; flag: only the address of a part of it. */
	DEED_STORED,
	DEED_GIVEN,	/* the object is passed to a new thread; address: its function, or 0 */
	DEED_INIT,	/* the lock is initialized or destroyed; flag: it may be recursive */
	DEED_RECURSIVE, /* the lock may be taken twice by one thread */
	DEED_BEGUN,	/* the object is passed to a thread of its own */
	/* A thread starts whose function the caller passes: `address` is the function. */
	DEED_START,
	/* The field is updated from its own value, like a reference count. */
	DEED_COUNTED,
	DEED_FREED, /* freed; flag: not on every path */
	/* A pointer is kept at the address, in an object that is being made. */
	DEED_KEPT,
	DEED_MADE, /* initialized or destroyed: no other thread has the object */
	/* `object` is the index of a parameter that points to where a new, unpublished object is
	   stored. */
	DEED_OUT,
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
	ARRAY(unsigned) written; /* addresses of all writes, each once */
	ARRAY(const struct audit_acquisition *) acquisitions;
	ARRAY(struct audit_effect) effects;
	ARRAY(struct audit_deed) deeds; /* sorted by kind */
	/* The path conditions of its returns, if each has one and they are few. */
	ARRAY(struct audit_conditions) returns;
	unsigned result; /* a term; 0 if unknown */
	/* Bits of parameters: what they point to is read or written here without a lock. */
	unsigned reads, writes;
	bool makes_threads, joins_threads, never_returns, is_once;
};

#endif
