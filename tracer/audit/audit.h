/*
 * gatectl audit: static thread safety of C structs. The analysis makes facts of each function,
 * callees first; then the properties (checks/check_*.c) add findings. P1 to P3 are the properties
 * of a thread-safe class of "Scalable Thread-Safety Analysis of Java Classes with CodeQL" (2025),
 * for C.
 */
#ifndef GATECTL_AUDIT_AUDIT_H
#define GATECTL_AUDIT_AUDIT_H

#include "tracer/audit/checks/finding.h"
#include "tracer/audit/flow/facts.h"

/* A possible fault in one function, judged when the facts of all functions are known. */
enum suspicion_kind {
	SUSPECT_LATE_WRITE, /* after the object was made visible */
	SUSPECT_UNSET, /* a field of a new object without a value when the object is passed on */
	SUSPECT_FREED, /* while it can be reached */
	SUSPECT_KEPT_LOCK,
	SUSPECT_DOUBLE_LOCK,
	SUSPECT_COMPOUND,
	SUSPECT_ESCAPE,
};

struct suspicion {
	enum suspicion_kind kind;
	unsigned function, term, field; /* field: + 1 */
	const char *how;		/* ESCAPE: what happens to it */
	struct audit_place at, other;
	bool is_certain; /* LATE_WRITE: the object is new, or was put where a lock is held; FREED: no count of
			    references was taken and given back here */
};

struct audit_options {
	const char *const *types; /* --type; NULL: structs with a lock or an atomic */
	const char *const *lock, *const *unlock; /* names of functions; lists end with NULL */
};

/* Whether callers hold the lock that a function releases. Bits. */
enum audit_giver { GIVER_HAS = 1, GIVER_HAS_NOT = 2 };

/* Whether each object that such a thread is passed has a thread of its own. */
enum audit_own_thread { THREAD_OWNS = 1, THREAD_SHARES };

/* A call: indexes of functions. */
struct audit_edge {
	unsigned from, to;
	struct audit_helds held;
	bool is_of_new; /* an argument is an object that no other thread has yet */
	struct audit_place at;
};

/* What the call graph says of a function. */
struct audit_role {
	bool is_entry;	 /* called from outside */
	bool in_program; /* of a program, with a main */
	unsigned thread; /* the one thread function that leads here, or ENTRY_SEVERAL; 0: none */
	unsigned entry;	 /* the one entry that leads here, as above (index + 1) */
	unsigned call; /* of `calls` + 1: the last call of a shortest path from an entry; 0: none */
	struct {
		ARRAY(unsigned) items; /* 2 * a lock's key + is it held alone */
		bool is_known;
	} locks; /* that all callers hold */
};

struct entry_accesses;

struct audit {
	struct audit_program *program;
	const struct audit_options *options;
	struct terms terms;
	struct audit_facts *facts; /* of each function */
	ARRAY(struct suspicion) suspicions;
	struct number_map handed;    /* locks (keys) that other functions release than took them */
	struct number_map recursive; /* locks (keys) that may be taken twice */
	struct number_map
		givers; /* functions (index + 1) that release callers' locks: audit_giver */
	struct number_map
		parts; /* fields (+ 1) that point to what is made for their object alone */
	struct number_map
		given_whole; /* fields (+ 1) whose address a function of the program gets */
	struct number_map own_threads; /* thread functions: audit_own_thread */
	struct number_map called;      /* functions (USR) that are called in the program */
	unsigned depth;		       /* of calls that are being analysed */
	unsigned blocks;	       /* numbers for TERM_JOIN */
	struct {
		ARRAY(struct audit_helds) all;
		struct number_map index;
	} helds; /* each lockset once */
	ARRAY(struct audit_edge) calls;
	struct audit_role *roles;	  /* of each function */
	struct entry_accesses *of_fields; /* of each field */
	bool *sequential;		  /* of each target: it has one thread */
	bool *parallel;			  /* kinds * kinds of units: may happen in parallel */
	unsigned kinds;
	struct findings findings;
};

/* Returns 0, or -1 with *err set if no struct has that name (types: as above). */
int audit_types_check(const struct audit_program *p, const char *const *types, struct error *err);
/* Returns 0, or -1 with *err set if the mark of a field names no field of its struct. */
int audit_marks_check(const struct audit_program *p, struct error *err);
/* Analyses a program that was read. Findings are sorted. */
void audit_run(struct audit *a, struct audit_program *p, const struct audit_options *options);
void audit_fini(struct audit *a);

/* ---- of flow --------------------------------------------------------------------------------- */

const struct audit_access *audit_innermost(const struct audit_access *a);
/* The one copy of an equal lockset. */
struct audit_helds audit_helds_of(struct audit *a, struct audit_helds helds);
/* The same locks in the same modes, wherever they were taken. */
bool audit_helds_same(const struct audit_helds *a, const struct audit_helds *b);
/* A number for all locks of one kind: a field + 1, or what is above all fields for a global; 0:
   none. */
unsigned audit_lock_key(const struct audit *a, unsigned lock);
/* A recursive lock, or one of an array, which may be another one each time. */
bool audit_may_be_taken_twice(const struct audit *a, unsigned lock);
/* The struct that has the field (+ 1), or NULL for 0. */
const struct audit_record *audit_record_of(const struct audit *a, unsigned field);

#endif
