/* The analysis of one function: what the files of this folder share. */
#ifndef GATECTL_AUDIT_FLOW_FLOW_H
#define GATECTL_AUDIT_FLOW_FLOW_H

#include "tracer/audit/audit.h"

/* ---- state.c: what is known at one point ----------------------------------------------------- */

/* Whether a value is 0. Stale: it was loaded, and a new load may give another value. */
struct state_truth {
	unsigned term;
	bool is_zero, is_stale;
};

enum state_kind {
	/* What may have happened, on one of the paths: */
	STATE_VISIBLE, /* the object can be seen by other threads */
	STATE_FREED,   /* the object that was loaded from the address */
	STATE_STORED,  /* an object that no other thread has was put at the address */
	STATE_LOADED,  /* the atomic at the address */
	/* What has happened, on all of the paths: */
	STATE_WRITTEN, /* something at the address, which is also the event's object */
	STATE_OUT,     /* the object was put at an address of the caller's, or of a new object */
};

struct state_event {
	enum state_kind kind;
	unsigned object, address;
	unsigned lock; /* one that was held then; 0: none */
	struct audit_place at;
};

/*
 * Paths with different locksets have states of their own (trace partitioning, Rival and Mauborgne
 * 2007): a lock in a state is held for certain, and what a flag was set to stays with the lock.
 */
struct state {
	unsigned *values; /* of the locals: terms */
	unsigned locals;
	ARRAY(struct audit_held) held; /* sorted by lock */
	ARRAY(struct state_truth) truths;
	ARRAY(struct state_event) events;
	bool makes_threads, joins_threads, never; /* never: the point is not reached */
};

/* A local state that ends with its scope. */
#define STATE(name) struct state name __attribute__((cleanup(state_fini))) = {0}
void state_init(struct state *s, unsigned locals);
void state_copy(struct state *to, const struct state *from); /* `to` is empty */
void state_fini(struct state *s);

bool state_holds_same(const struct state *a, const struct state *b);
/* If both hold the same locks but for the object that one local points to, these are named by
   the local's TERM_JOIN in both, and the result is true: a hand-over-hand walk through a list
   holds one lock. */
bool state_rename_locks(struct state *a, struct state *b, struct terms *t, unsigned block);
/* Adds the paths of `from`. Values that differ become TERM_JOIN of the block. True if something
   has changed. */
bool state_join(struct state *s, const struct state *from, struct terms *t, unsigned block);
/* Keeps the locks that both hold. True if something has changed. */
bool state_meet_locks(struct state *s, const struct state *from);

struct audit_held *state_held(struct state *s, unsigned lock); /* NULL: not held */
/* A lock that is held; 0: none. */
unsigned state_any_lock(const struct state *s);
void state_take(struct state *s, const struct audit_held *h);

/* What was loaded from the field (+ 1; 0: any) is stale. */
void state_change(struct state *s, const struct terms *t, unsigned field);
/* The term is loaded again: forgets what is stale. */
void state_load(struct state *s, const struct terms *t, unsigned term);
void state_forget(struct state *s, const struct terms *t, unsigned term);
/* 1: it is zero; 0: it is not; -1: unknown. */
int state_is_zero(const struct state *s, const struct terms *t, unsigned term);

/* The first event with that object and address (0: any), or NULL. */
const struct state_event *state_find(const struct state *s, enum state_kind kind, unsigned object,
				     unsigned address);
/* Adds it, unless there is one of that object and address. */
void state_note(struct state *s, const struct state_event *e);
/* Removes those of the address (and, where `held`, those whose lock is held). */
void state_drop(struct state *s, enum state_kind kind, unsigned address, bool held);
void state_write(struct state *s, unsigned address);
/* Too many addresses to tell apart: all count as written. */
bool state_writes_all(const struct state *s);
unsigned state_out(const struct state *s, unsigned address); /* 0: unknown */
void state_put_out(struct state *s, unsigned address, unsigned object);

/* ---- one function ---------------------------------------------------------------------------- */

/* One path out of the function. */
struct flow_exit {
	unsigned value;
	struct audit_place at;
	struct audit_helds held;
	struct audit_conditions when;
	ARRAY(struct state_event) out; /* STATE_OUT at the caller's addresses */
};

/* A new object and its struct (+ 1). */
struct flow_new {
	unsigned object, record;
};

/* A field is changed by its own value, as a count of references. */
struct flow_count {
	unsigned address;
	struct audit_place at;
};

struct audit_flow {
	struct audit *audit;
	struct terms *t;	 /* audit's */
	struct audit_program *p; /* audit's */
	const struct audit_function *function;
	unsigned index; /* of the function */
	struct audit_facts *facts;
	bool records;		  /* the last pass: what is seen counts */
	bool compares;		  /* addresses: the order of locks */
	struct number_map known;  /* accesses of `facts`, by hash */
	struct number_map made;	  /* objects of DEED_MADE */
	struct number_map twice;  /* locks taken while they are held */
	ARRAY(unsigned) released; /* locks */
	ARRAY(struct flow_exit) exits;
	ARRAY(struct flow_new) fresh;
	ARRAY(struct flow_count) counts;
};

/* Facts of a function that is being analysed are not known yet. */
const struct audit_facts *audit_facts_of(struct audit *a, unsigned function);

/* ---- evaluate.c: expressions ----------------------------------------------------------------- */

/* Returns the value. */
unsigned evaluate(struct audit_flow *w, struct state *s, const struct audit_expr *e);
/* A new value of its own for the expression. */
unsigned evaluate_anything(struct audit_flow *w, struct state *s, const struct audit_expr *e);
/* The values of both sides of a comparison, or the value of the condition. */
void evaluate_condition(struct audit_flow *w, struct state *s, const struct audit_expr *e,
			unsigned values[2]);
/* What is known where the condition with these values holds, or does not; s->never if that
   cannot be. */
void evaluate_branch(struct audit_flow *w, struct state *s, const struct audit_expr *e,
		     const unsigned values[2], bool holds);

/* ---- calls.c --------------------------------------------------------------------------------- */

unsigned evaluate_call(struct audit_flow *w, struct state *s, const struct audit_expr *e);

/* ---- known.c: functions of libc, of libraries with locks, of the options --------------------- */

enum call_effect {
	DOES_NOTHING, /* it is none of them */
	DOES_LOCK,
	DOES_LOCK_SHARED,
	DOES_TRY, /* 0: it is locked */
	DOES_TRY_SHARED,
	DOES_TRY_TRUE, /* not 0: it is locked */
	DOES_UNLOCK,
	DOES_INIT,
	DOES_INIT_RECURSIVE,
	DOES_DESTROY,
	DOES_ALLOCATE,
	DOES_ALLOCATE_ZEROED,
	DOES_FREE,
	DOES_THREAD,	 /* function and argument are the third and fourth argument */
	DOES_C11_THREAD, /* the second and third */
	DOES_JOIN,
	DOES_ONCE,
	DOES_WRITE, /* what the first argument points to */
	DOES_COPY,  /* ... from the second */
	DOES_END,
	DOES_SET_JUMP, /* its second return has the lockset of the longjmp */
};

enum call_effect call_effect_of(const struct audit_options *o, const char *name);
/* By its name, a library's way to make a thread. */
bool call_may_make_thread(const char *name);

/* ---- objects.c: accesses, and who can see an object ------------------------------------------ */

void object_read(struct audit_flow *w, struct state *s, unsigned address,
		 const struct audit_expr *e, bool is_atomic);
void object_write(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  const struct audit_expr *e, bool is_atomic, bool is_update);
/* Puts the value there; no access. is_part: only the address of a part of the object. */
void object_store(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  bool is_part, struct audit_place at);
/* Other threads can see it from now on. */
void object_show(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at);
/* Ended: it should not be reachable from where it was loaded. */
void object_end(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at);
/* `always`: on every path. */
void object_free(struct audit_flow *w, struct state *s, unsigned object, bool always,
		 struct audit_place at);
/* The field there is changed by its own value. */
void object_count(struct audit_flow *w, unsigned address, struct audit_place at);
/* Initialised, or ended: no other thread has it. */
void object_make(struct audit_flow *w, unsigned object);
bool object_is_made(const struct audit_flow *w, unsigned object);
/* An address of a part of it goes where other code may use it. */
void object_escape(struct audit_flow *w, unsigned address, const char *how, struct audit_place at);
/* A whole object is copied. */
void object_copy(struct audit_flow *w, unsigned object, struct audit_place at);
/* No other thread has it. */
bool object_is_own(const struct audit_flow *w, const struct state *s, unsigned object);
/* An access of a function that is called at the place. */
void object_access_inside(struct audit_flow *w, struct state *s, const struct audit_access *inner,
			  const struct term_binding *b, struct audit_place at);
/* The function ends with that value. */
void object_leave(struct audit_flow *w, struct state *s, unsigned value, struct audit_place at);
void suspect(struct audit_flow *w, const struct suspicion *s);

/* ---- locks.c --------------------------------------------------------------------------------- */

void lock_take(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
	       struct audit_place at);
void lock_release(struct audit_flow *w, struct state *s, unsigned lock, struct audit_place at);
/* A try has taken it. */
void lock_tried(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
		struct audit_place at);
/* Drops locks of which the opposite of what decided that they are taken was found since. */
void lock_drop_unsure(struct state *s);
/* The object is NULL: a lock in it that a function may have taken was not. */
void lock_never_was(struct state *s, const struct terms *t, unsigned object);
/* Keeps a copy, unless one of that lock with these locks is there. */
void lock_acquired(struct audit_flow *w, const struct audit_acquisition *a);
struct audit_helds lock_helds(struct audit_flow *w, const struct state *s);
/* The same with the places where this state took them; valid until the state changes. */
struct audit_helds lock_helds_now(const struct state *s);
/* A copy with these places. */
struct audit_helds lock_helds_keep(struct audit_flow *w, struct audit_helds held);
/* The caller's locks and those that the called function holds. */
struct audit_helds lock_helds_inside(struct audit_flow *w, const struct state *s,
				     const struct audit_helds *inside,
				     const struct term_binding *b);

/* ---- exits.c --------------------------------------------------------------------------------- */

/* The effects of the function on locks, by its exits. */
void exits_effects(struct audit_flow *w);

/* ---- summary.c: facts, each once ------------------------------------------------------------- */

/* Keeps a copy, unless there is an equal one. */
void summary_access(struct audit_flow *w, struct audit_access *a);
/* Adds it by its kind. Returns it, or the one of that object and address. */
struct audit_deed *summary_deed(struct audit_flow *w, struct audit_deed deed);
/* What the state knows of the function's parameters. */
struct audit_conditions conditions_of(const struct audit_flow *w, const struct state *s);
/* False if these arguments exclude it. */
bool conditions_hold(const struct audit_flow *w, const struct state *s,
		     const struct audit_conditions *inner, const struct term_binding *b);
/* Those of the place of a call and of a place in the called function. */
struct audit_conditions conditions_inside(const struct audit_flow *w, const struct state *s,
					  const struct audit_conditions *inner,
					  const struct term_binding *b);
/* True if they exclude each other. */
bool conditions_differ(const struct audit_conditions *a, const struct audit_conditions *b);
bool conditions_same(const struct audit_conditions *a, const struct audit_conditions *b);

#endif
