/* What the properties (check_*.c) are decided by: entries, their accesses, which threads they
   are of, locks. */
#ifndef GATECTL_AUDIT_CHECKS_CHECKS_H
#define GATECTL_AUDIT_CHECKS_CHECKS_H

#include "tracer/audit/audit.h"

/* ---- entries.c: functions that any thread may call, and their accesses ----------------------- */

/* One access, as an entry reaches it. */
struct entry_access {
	const struct audit_access *access;
	unsigned entry;
	struct audit_place at;	/* of the innermost access */
	unsigned function;	/* ... and its function */
	struct guarded *guards; /* of guards.c */
};

struct entry_accesses {
	ARRAY(struct entry_access) items; /* sorted by place */
};

/* Sets is_entry and in_program of all roles. */
void entries_find(struct audit *a);
/* Called in an unknown context: its address is taken, and it is no thread function. */
bool entries_is_callback(const struct audit *a, unsigned function);
/* A function of a program that nothing calls: it may be dead. */
bool entries_is_unused(const struct audit *a, unsigned function);
/* A function that a thread starts with. */
bool entries_is_thread(const struct audit *a, unsigned function);
/* Collects the accesses of all entries, by field. */
void entries_collect(struct audit *a);
void entries_forget(struct audit *a);
/* All accesses to the field (+ 1) that may happen in parallel with others. */
struct entry_accesses *entries_of_field(const struct audit *a, unsigned field);
/* The calls from the entry to the place, as notes. */
void entries_notes(const struct audit *a, const struct entry_access *e, enum finding_way way,
		   struct finding *f);
const char *entries_name(const struct audit *a, unsigned function);
/* Its name says that its callers hold the lock. */
bool entries_wants_lock(const struct audit *a, unsigned function);

static inline bool entry_is(const struct entry_access *e, unsigned flags)
{
	return e->access->flags & flags;
}

/* ---- graph.c: the call graph ----------------------------------------------------------------- */

enum { ENTRY_SEVERAL = -1 };

/* Sets thread, entry, call and locks of all roles. */
void graph_find(struct audit *a);
/* A shortest path of calls from an entry to the function, as notes. */
void graph_notes(const struct audit *a, unsigned function, enum finding_way way, struct finding *f);

/* ---- parallel.c: which accesses may happen in parallel --------------------------------------- */

void parallel_find(struct audit *a);
/* Accesses of one kind are in one program with the same others. */
size_t parallel_kind(const struct audit *a, const struct entry_access *e);
/* Both are in one program that has threads. */
bool parallel_together(const struct audit *a, const struct entry_access *x,
		       const struct entry_access *y);
/* ... and may be of two threads. */
bool parallel_may_be(const struct audit *a, const struct entry_access *x,
		     const struct entry_access *y);
/* One is of a thread function, and the other of another entry. */
bool parallel_is_certain(const struct audit *a, const struct entry_access *x,
			 const struct entry_access *y);
/* One entry alone leads to both, and it may be of one thread alone. */
bool parallel_one_entry(const struct audit *a, const struct entry_access *x,
			const struct entry_access *y);
/* Its entry has joined the threads before. */
bool parallel_after_join(const struct audit *a, const struct entry_access *e);
/* The function is only in programs with one thread. */
bool parallel_to_nothing(const struct audit *a, unsigned function);

/* ---- guards.c: which locks are held where a field is used ------------------------------------ */

/* The lock that is held at most places of a field. */
struct majority {
	unsigned key, held, places; /* key: 0: there is none */
	unsigned
		near; /* places where the field's object and the lock's are reached from each other */
	unsigned functions, functions_held; /* functions that hold it at all their places */
	bool is_told; /* named by the field's comment: no other lock will do */
};

/* Sets the guards of all accesses of a field; they are the program's memory. */
void guards_find(const struct audit *a, struct entry_accesses *all);
/* True if the access holds the lock as it has to: alone, if it writes. */
bool guards_hold(const struct entry_access *e, unsigned key);
bool guards_any(const struct entry_access *e);
/* A lock of the field's own struct is there for its fields. */
bool guards_is_own(const struct audit *a, unsigned key, unsigned field);
/* Both hold a lock that keeps them apart. */
bool guards_exclude(const struct entry_access *x, const struct entry_access *y);
struct majority guards_majority(const struct audit *a, const struct entry_accesses *all,
				unsigned field);

/* ---- entries.c: findings --------------------------------------------------------------------- */

/* A new finding for the field (+ 1; 0: none), or NULL if there is one with that tag on that
   line. */
struct finding *check_add(struct audit *a, enum finding_tag tag, struct audit_place at,
			  unsigned field, unsigned function);
/* Sets its text: 'FIELD' of struct STRUCT ...; in FUNCTION. */
void check_say(const struct audit *a, struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- the properties -------------------------------------------------------------------------- */

void check_escape(struct audit *a);
void check_publication(struct audit *a);
void check_guards(struct audit *a);
void check_locks(struct audit *a);

#endif
