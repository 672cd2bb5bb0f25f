/*
 * The analysis as a whole: facts of each function, in the order of calls; then the properties (check_*.c), each of which
 * adds findings. P1 to P3 are those that make a class thread-safe in "Scalable Thread-Safety Analysis of Java Classes with
 * CodeQL" (2025), for C; the facts are compositional as RacerD's (Blackshear et al. 2018).
 */
#ifndef GATECTL_AUDIT_AUDIT_H
#define GATECTL_AUDIT_AUDIT_H

#include "tracer/audit/flow/facts.h"
#include "tracer/audit/checks/finding.h"
#include "tracer/base/error.h"

/* Something that may be a fault, once all functions are known. */
enum suspicion_kind {
	SUSPECT_LATE_WRITE, /* after the object was made visible */
	SUSPECT_UNSET,	    /* a field of a new object that has no value when it is given away */
	SUSPECT_FREED,	    /* while it can be reached */
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
	bool is_certain; /* LATE_WRITE: it is new, or was put where a lock is held; FREED: not if a count of references
			    says so, of which this function has taken one */
};

struct audit_options {
	const char *const
		*types; /* --type; NULL at the end; NULL: those with a lock or an atomic */
	const char *const *lock, *const *unlock; /* names of functions; NULL at the end */
	bool all;
};

/* Do its callers have the lock? Bits. */
enum audit_giver { GIVER_HAS = 1, GIVER_HAS_NOT = 2 };

/* Has each object that such a thread is given a thread of its own? */
enum audit_own_thread { THREAD_OWNS = 1, THREAD_SHARES };

/* Who calls whom: indexes. */
struct audit_edge {
	unsigned from, to;
	struct audit_helds held;
	bool is_of_new; /* it is given an object that nobody else has yet */
	struct audit_place at;
};

/* Each is 2 * a lock's key + whether it is held alone. */
struct caller_locks {
	ARRAY(unsigned) items;
	bool is_known;
};

struct helds_table {
	ARRAY(struct audit_helds) all;
	unsigned *slots;
	size_t size;
};

struct entry_accesses;

struct audit {
	struct audit_program *program;
	const struct audit_options *options;
	struct terms terms;
	struct audit_facts *facts; /* one for each of the program's functions */
	ARRAY(struct suspicion) suspicions;
	struct number_map
		handed; /* locks (a field + 1, or a USR) that are released by others than who took them */
	struct number_map
		recursive; /* ... that were initialised with attributes: they may be taken twice */
	struct number_map
		givers; /* functions (index + 1) that release what others took: an audit_giver */
	struct number_map
		parts; /* fields (+ 1) that point to what is made for their object alone */
	struct number_map
		given_whole; /* fields (+ 1) whose address a function of the program gets */
	struct number_map own_threads; /* first functions of threads: an audit_own_thread */
	struct number_map called;      /* functions that others of the program call */
	unsigned depth;		       /* of the calls that are being looked at */
	unsigned blocks;	       /* numbers for TERM_JOIN */
	struct helds_table helds;
	struct entry_accesses *of_fields; /* entries.h; one for each of the program's fields */
	ARRAY(struct audit_edge) calls;
	struct caller_locks *callers; /* of each function: what all hold who call it */
	unsigned *
		way_to; /* of each function: of `calls` + 1: by it one comes there from an entry (ways.c) */
	unsigned *thread_of, *entry_of; /* of each function: the thread's first one, and the entry,
					   that alone leads there; beside.c */
	bool *is_entry,
		*in_program; /* of each function: entries.h; is it of a program, with a main? */
	bool *sequential;    /* targets that have one thread alone (beside.c) */
	bool *beside; /* kinds * kinds of units: may what one does be beside what the other does? */
	unsigned kinds;
	struct findings findings;
};

/* 0, or -1: there is no struct of such a name (types: as above). */
int audit_types_check(const struct audit_program *p, const char *const *types, struct error *err);
/* 0, or -1: a field's mark names no field of its struct. */
int audit_marks_check(const struct audit_program *p, struct error *err);
/* Reads nothing: the program is there. Findings are sorted. */
void audit_run(struct audit *a, struct audit_program *p, const struct audit_options *options);
void audit_fini(struct audit *a);

/* ---- flow.c: one function ----------------------------------------------------------------------------------- */

/* Of its facts; those of a function that is being looked at are not known yet. */
const struct audit_facts *audit_facts_of(struct audit *a, unsigned function);

struct audit_helds audit_helds_of(struct audit *a, const struct audit_held *items, unsigned count);
/* The same locks in the same modes, wherever they were taken? */
bool audit_helds_same(const struct audit_helds *a, const struct audit_helds *b);
void audit_helds_fini(struct audit *a);

/* A lock's field + 1, or the USR of a global: it stands for all locks of its kind. */
unsigned audit_lock_key(const struct audit *a, unsigned lock);
/* A recursive one; or one of an array, which may be another each time. */
bool audit_may_be_taken_twice(const struct audit *a, unsigned lock);
/* The struct that has the field; NULL: it is no field. */
const struct audit_record *audit_record_of(const struct audit *a, unsigned field);

/* ---- the properties ------------------------------------------------------------------------------------------- */

void check_escape(struct audit *a);
void check_publication(struct audit *a);
void check_guards(struct audit *a);
void check_locks(struct audit *a);

#endif
