/*
 * What is known at one point of a function. Ways that hold different locks are kept apart (trace partitioning, Rival and
 * Mauborgne 2007): a lock that is held is held for certain, and which way a flag was set stays with the lock.
 */
#ifndef GATECTL_AUDIT_FLOW_STATE_H
#define GATECTL_AUDIT_FLOW_STATE_H

#include "tracer/audit/flow/facts.h"

struct state_truth {
	unsigned term;
	bool is_zero;
	bool is_stale; /* of a value that was loaded: what would be loaded now may be another one */
};

struct state_visible {
	unsigned object;
	struct audit_place at;
	unsigned lock; /* one that was held then; 0: none */
};

struct state_freed {
	unsigned object, from; /* from: the address that it was loaded from */
	struct audit_place at;
	unsigned lock;
};

struct state {
	unsigned *values; /* of the locals: terms */
	unsigned locals;
	ARRAY(struct audit_held) held; /* sorted by lock */
	ARRAY(struct state_truth) truths;
	ARRAY(struct state_visible) visible;
	ARRAY(struct state_freed) freed;
	ARRAY(struct audit_stored)
	stored; /* objects that nobody else has yet, and where they were put */
	ARRAY(struct audit_stored) out;	 /* what was put where the caller wants to have it */
	ARRAY(unsigned) written, loaded; /* addresses; loaded: of atomics */
	bool makes_threads, joins_threads, never; /* never: nobody comes here */
};

void state_init(struct state *s, unsigned locals);
void state_copy(struct state *to, const struct state *from); /* `to` is empty */
void state_fini(struct state *s);

/* The same locks in the same modes? */
bool state_holds_same(const struct state *a, const struct state *b);
/* The same locks, if those of the object that one local points to count as the same ones? Then they are named by that
   local's TERM_JOIN in both: who goes through a list hand over hand holds one lock, whichever. */
bool state_rename_locks(struct state *a, struct state *b, struct terms *t, unsigned block);
/* Takes `from` in; values that differ become TERM_JOIN of the block. True: something has changed. */
bool state_join(struct state *s, const struct state *from, struct terms *t, unsigned block);
/* Locks that both hold are left. */
bool state_meet_locks(struct state *s, const struct state *from);

/* NULL: not held. */
struct audit_held *state_held(struct state *s, unsigned lock);
/* One that is held, not left; 0: none. */
unsigned state_any_lock(const struct state *s);
void state_take(struct state *s, const struct audit_held *h);
/* Others may have changed that field (+ 1; 0: any): what is loaded anew from there is not known. */
void state_change(struct state *s, const struct terms *t, unsigned field);
void state_load(struct state *s, const struct terms *t, unsigned term); /* it is loaded anew */
/* What was known of the term is not any more. */
void state_forget(struct state *s, const struct terms *t, unsigned term);
/* 1: it is zero; 0: it is not; -1: nobody knows. */
int state_is_zero(const struct state *s, const struct terms *t, unsigned term);
/* Something is written there. More than a few hundred are not told apart: then all is taken to be written. */
void state_write(struct state *s, unsigned address);
bool state_writes_all(const struct state *s);
/* What was put at that address, a parameter, or a field of a new object; 0: it is not known. */
unsigned state_out(const struct state *s, unsigned address);
void state_put_out(struct state *s, unsigned address, unsigned object);
/* NULL: others cannot see it. */
const struct state_visible *state_visible(const struct state *s, unsigned object);

#endif
