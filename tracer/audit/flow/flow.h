/* One function is gone through: what flow.c, evaluate.c, objects.c and calls.c share. */
#ifndef GATECTL_AUDIT_FLOW_FLOW_H
#define GATECTL_AUDIT_FLOW_FLOW_H

#include "tracer/audit/audit.h"
#include "tracer/audit/flow/state.h"

/* How the function ends, one way. */
struct flow_exit {
	unsigned value;
	struct audit_place at;
	struct audit_helds held;
	struct audit_conditions when;
	struct {
		const struct audit_stored *items;
		size_t count;
	} out; /* what was put where the caller wants to have it */
};

/* An object that it makes, and of which struct (+ 1). */
struct flow_new {
	unsigned object, record;
};

/* A field is changed by what it was, as who takes or gives back a reference does. */
struct flow_count {
	unsigned address;
	struct audit_place at;
};

struct audit_flow {
	struct audit *audit;
	const struct audit_function *function;
	unsigned index; /* of the function */
	struct audit_facts *facts;
	bool records;  /* the last time through: what is seen counts */
	bool compares; /* addresses, for an order of locks */
	struct {
		unsigned *slots;
		size_t size;
	} known;		  /* accesses of `facts`, by what they are */
	struct number_map made;	  /* of `facts`: objects */
	struct number_map twice;  /* locks that it takes again while it holds them */
	ARRAY(unsigned) released; /* locks that are released somewhere in it */
	ARRAY(struct flow_exit) exits;
	ARRAY(struct flow_new) fresh;
	ARRAY(struct flow_count) counts;
};

/* ---- evaluate.c: expressions ------------------------------------------------------------------------------- */

unsigned evaluate(struct audit_flow *w, struct state *s,
		  const struct audit_expr *e); /* its value */
/* What is known where the condition, whose value that is, holds or does not; s->never: it cannot be. */
void evaluate_branch(struct audit_flow *w, struct state *s, const struct audit_expr *e,
		     const unsigned values[2], bool holds);
/* Of the condition: of both sides of a comparison. */
void evaluate_condition(struct audit_flow *w, struct state *s, const struct audit_expr *e,
			unsigned values[2]);

/* ---- objects.c: accesses, and who can see an object --------------------------------------------------------- */

void object_read(struct audit_flow *w, struct state *s, unsigned address,
		 const struct audit_expr *e, bool is_atomic);
void object_write(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  const struct audit_expr *e, bool is_atomic, bool is_update);
/* The value is stored there; no access. is_part: only the address of a part of the object. */
void object_store(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  bool is_part, struct audit_place at);
/* Others can see it from now on. */
void object_show(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at);
/* Nobody may use it from now on: it should not be reachable from where it was loaded. */
void object_end(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at);
void object_free(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at);
/* It is the n-th that a function frees which was called there: perhaps on some way alone. */
void object_free_inside(struct audit_flow *w, struct state *s, const struct audit_facts *f,
			size_t n, unsigned object, struct audit_place at);
/* The field there is changed by what it was. */
void object_count(struct audit_flow *w, unsigned address, struct audit_place at);
/* It is initialised, or ended: nobody else has it. */
void object_make(struct audit_flow *w, unsigned object);
bool object_is_made(const struct audit_flow *w, unsigned object);
/* An address of a part of it goes where others may use it. */
void object_escape(struct audit_flow *w, unsigned address, const char *how, struct audit_place at);
/* Has nobody else it? */
bool object_is_own(const struct audit_flow *w, const struct state *s, unsigned object);
/* One that begins with the `inner` of a function that was called there. */
void object_access_inside(struct audit_flow *w, struct state *s, const struct audit_access *inner,
			  unsigned address, const struct audit_helds *held,
			  const struct term_binding *b, struct audit_place at);
/* The function ends with that value. */
void object_leave(struct audit_flow *w, struct state *s, unsigned value, struct audit_place at);
void suspect(struct audit_flow *w, const struct suspicion *s);

/* ---- access.c ------------------------------------------------------------------------------------------------ */

/* Keeps a copy, if there is none like it. */
void access_add(struct audit_flow *w, struct audit_access *a);
const struct audit_access *access_innermost(const struct audit_access *a);

/* ---- conditions.c --------------------------------------------------------------------------------------------- */

/* Of the function's own parameters, as far as the state knows them. */
struct audit_conditions conditions_of(const struct audit_flow *w, const struct state *s);
/* False: with these arguments it never comes to it. */
bool conditions_hold(const struct audit_flow *w, const struct state *s,
		     const struct audit_conditions *inner, const struct term_binding *b);
/* Those of the place of the call, and of a function that is called with parameters of this one. */
struct audit_conditions conditions_inside(const struct audit_flow *w, const struct state *s,
					  const struct audit_conditions *inner,
					  const struct term_binding *b);
/* Do they exclude each other? */
bool conditions_differ(const struct audit_conditions *a, const struct audit_conditions *b);
bool conditions_same(const struct audit_conditions *a, const struct audit_conditions *b);

/* ---- locks.c -------------------------------------------------------------------------------------------------- */

void lock_take(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
	       struct audit_place at);
void lock_release(struct audit_flow *w, struct state *s, unsigned lock, struct audit_place at);
/* A try has taken it. */
void lock_tried(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
		struct audit_place at);
/* Those of which the opposite of what decided that they are taken was found since then. */
void lock_drop_unsure(struct state *s);
/* The object is NULL: what came locked from a function, if it came at all, did not. */
void lock_never_was(struct state *s, const struct terms *t, unsigned object);
/* Keeps a copy, also of what is held, if none of that lock beside those that are held is there. */
void lock_acquired(struct audit_flow *w, const struct audit_acquisition *a);
struct audit_helds lock_helds(struct audit_flow *w, const struct state *s);
/* The same, as this function took them: of those that hold the same locks, lock_helds() has the places of the first. */
struct audit_helds lock_helds_here(struct audit_flow *w, const struct state *s);
struct audit_helds
lock_helds_now(const struct state *s); /* ... as long as the state is not changed */
/* What is held within a call: the caller's, and what the function itself holds there. */
struct audit_helds lock_helds_inside(struct audit_flow *w, const struct state *s,
				     const struct audit_helds *inside,
				     const struct term_binding *b);
/* The effects of the function, by how it ends. */
void lock_effects(struct audit_flow *w);

/* ---- calls.c ------------------------------------------------------------------------------------------------- */

unsigned evaluate_call(struct audit_flow *w, struct state *s, const struct audit_expr *e);

#endif
