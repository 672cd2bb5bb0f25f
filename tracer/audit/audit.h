/* gatectl audit: static thread-safety analysis of structs in C and C++. Facts are computed for each
   function, callees first; then checks/check_*.c add findings. P1 to P3 are from "Scalable
   Thread-Safety Analysis of Java Classes with CodeQL" (2025). */
#ifndef GATECTL_AUDIT_AUDIT_H
#define GATECTL_AUDIT_AUDIT_H

#include "tracer/audit/checks/finding.h"
#include "tracer/audit/flow/facts.h"

struct suspicion {
	enum suspicion_kind kind;
	unsigned function, term, field; /* index of the field + 1, or 0 */
	/* SUSPECT_ESCAPE: how the address escapes, for the message. is_for_call: to a function.
	   is_to_own: into a local or new object. */
	const char *how;
	bool is_for_call, is_to_own;
	struct audit_place at, other;
	struct audit_place again; /* SUSPECT_DOUBLE_LOCK: where a called function takes it */
	/* SUSPECT_LATE_WRITE: the object is new, or a lock was held when it was published.
	   SUSPECT_FREED: no reference was counted and released here. */
	bool is_certain;
	/* SUSPECT_FREED: the function uses a lock that is not the object's own. SUSPECT_ESCAPE: the
	   object's own lock is held where its address is stored in another object. */
	bool is_locked;
	/* SUSPECT_LATE_WRITE: the thread function (USR) that the object was passed to, or 0. */
	unsigned thread;
	bool is_of_unsure; /* SUSPECT_LATE_WRITE: shared by an object that may not be shared */
	enum audit_moment moment;
};

struct audit_options {
	const char *const *types; /* --type; NULL means structs with a lock or an atomic */
	/* Names of functions, terminated by NULL; may be NULL. */
	const char *const *lock, *const *unlock, *const *init;
};

/* A field (+ 1) that is tested with a lock (key) before a wait. */
struct audit_wait {
	unsigned field, key, function;
	struct audit_place at;
};

/* Bits: whether callers hold the lock that a function releases. */
enum audit_giver { GIVER_HAS = 1, GIVER_HAS_NOT = 2 };

/* Whether each object passed to a thread function has a thread of its own. Numbers above: all
   threads of the function have their handle in one variable, THREAD_SHARES + its term. */
enum audit_own_thread { THREAD_OWNS = 1, THREAD_SHARES };

/* An edge of the call graph, with indexes of functions. */
struct audit_edge {
	unsigned from, to;
	struct audit_helds held;
	bool is_of_new; /* an argument is an object that is not published yet */
	enum audit_moment moment;
	struct audit_place at;
};

/* Phases of a program in which a function runs, as bits. A function that only main calls, before it
   makes a thread or after it has joined them, is in no other phase. */
enum audit_phase { PHASE_SETUP = 1, PHASE_SHARED = 2, PHASE_TEARDOWN = 4 };

/* Properties of a function from the call graph. */
struct audit_role {
	bool is_entry;	 /* an entry: called from outside */
	bool in_program; /* part of a program, with a main */
	bool is_unused; /* may be dead code: of a program, or of an archive with users here, and not
			    called */
	unsigned phases; /* enum audit_phase */
	unsigned called; /* the same by the calls in these files alone */
	/* The only entry that reaches this one, if it is a thread of one object alone, as index +
	   1; ENTRY_SEVERAL, or 0 for none. */
	unsigned thread;
	/* The only thread function that reaches this one, encoded as `thread`. from_main: one that
	   is no thread reaches it. */
	unsigned starter;
	bool from_main;
	unsigned entry; /* the only entry that reaches this one, encoded as `thread` */
	/* Index in audit.calls + 1 of the last call of a shortest path from an entry; 0 for
	   none. */
	unsigned call;
	struct {
		ARRAY(unsigned) items; /* 2 * lock key + (1 if held exclusively) */
		bool is_known;
	} locks; /* lockset that all callers hold */
};

struct entry_accesses;

struct audit {
	struct audit_program *program;
	const struct audit_options *options;
	struct terms terms;
	struct audit_facts *facts; /* one for each function */
	ARRAY(struct suspicion) suspicions;
	ARRAY(struct audit_wait) waits;
	/* Functions (index + 1) that take a lock which a caller releases. */
	struct number_map handed;
	struct number_map recursive; /* keys of locks that may be taken twice */
	/* Functions (index + 1) that release a lock of this key which they do not hold. */
	struct number_map leavers;
	/* Functions (index + 1) that release locks of callers: enum audit_giver. */
	struct number_map givers;
	/* Fields (+ 1) that point to an object made for their own object alone. */
	struct number_map parts;
	/* Fields (+ 1) whose address is passed to a function of the program. */
	struct number_map given_whole;
	struct number_map own_threads; /* thread functions (USR): enum audit_own_thread */
	struct number_map joined;      /* variables (terms) whose thread is joined */
	struct number_map called;      /* functions (USR) that the program calls */
	/* Variables (USR) that are compared with NULL without a lock. */
	struct number_map asked;
	/* Places (state_flag()) whose value alone decides whether a lock is taken, or released:
	   they are taken not to change between the two. */
	struct number_map flags;
	unsigned depth;	 /* nesting of functions being analysed */
	unsigned blocks; /* next number for TERM_JOIN */
	struct {
		ARRAY(struct audit_helds) all;
		struct number_map index;
	} helds; /* interned locksets */
	ARRAY(struct audit_edge) calls;
	struct audit_role *roles;	  /* one for each function */
	struct entry_accesses *of_fields; /* one for each field */
	bool *sequential;		  /* for each target: true if it has one thread */
	bool *parallel;			  /* kinds * kinds: units that may happen in parallel */
	unsigned kinds;
	unsigned long variables; /* of static storage that threads may share */
	struct findings findings;
};

/* Returns 0, or -1 with *err set if no struct has the name of one of `types` (as in
   audit_options). */
int audit_types_check(const struct audit_program *p, const char *const *types, struct error *err);
/* Returns 0, or -1 with *err set if @guarded_by of a field names no field of its struct. */
int audit_marks_check(const struct audit_program *p, struct error *err);
/* Analyses a program and fills a->findings, sorted. Keeps `p` and `options`. */
void audit_run(struct audit *a, struct audit_program *p, const struct audit_options *options);
/* Frees the results, not the program. */
void audit_fini(struct audit *a);

/* ---- implemented in flow/ -------------------------------------------------------------------- */

/* Returns the access at the end of the chain of `inner`. */
const struct audit_access *audit_innermost(const struct audit_access *a);
/* Returns the interned copy of the lockset. */
struct audit_helds audit_helds_of(struct audit *a, struct audit_helds helds);
/* Returns true if both hold the same locks in the same modes; places do not count. */
bool audit_helds_same(const struct audit_helds *a, const struct audit_helds *b);
/* Returns a key that all locks (or other places) of one kind share: the field + 1, or a number
   above all fields for a global. Returns 0 if unknown. */
unsigned audit_lock_key(const struct audit *a, unsigned lock);
/* Returns true for a recursive lock and for an element of an array, which may differ each time. */
bool audit_may_be_taken_twice(const struct audit *a, unsigned lock);
/* Returns true if the conditions exclude each other. */
bool conditions_differ(const struct audit_conditions *a, const struct audit_conditions *b);
/* Returns the struct of the field (+ 1), or NULL for 0. */
const struct audit_record *audit_record_of(const struct audit *a, unsigned field);

#endif
