/* Interfaces of the checks (check_*.c): entries, call graph, may-happen-in-parallel, locksets. */
#ifndef GATECTL_AUDIT_CHECKS_CHECKS_H
#define GATECTL_AUDIT_CHECKS_CHECKS_H

#include "tracer/audit/audit.h"

/* ---- entries.c: functions that any thread may call, and their accesses ----------------------- */

/* An access, as an entry reaches it. */
struct entry_access {
	const struct audit_access *access;
	unsigned entry;
	struct audit_place at;	/* place of the innermost access */
	unsigned function;	/* function of the innermost access */
	struct guarded *guards; /* see guards.c; owned by the program's memory */
};

struct entry_accesses {
	ARRAY(struct entry_access) items; /* sorted by place */
};

/* Allocates a->roles; sets is_entry and in_program. */
void entries_find(struct audit *a);
/* Returns true if the function's address is taken and it is no thread function: its context is
   unknown. */
bool entries_is_callback(const struct audit *a, unsigned function);
/* Returns true for a function that may be dead code: nothing calls it, and it is of a program, or
   of a library that is not shared and of which other functions are called here. */
bool entries_is_unused(const struct audit *a, unsigned function);
/* Returns true for a function that is called here, and by its name alone. */
bool entries_is_called(const struct audit *a, unsigned function);
/* Returns true for the main of a program. */
bool entries_is_main(const struct audit *a, unsigned function);
/* Returns true for a thread's start function. */
bool entries_is_thread(const struct audit *a, unsigned function);
/* Collects the accesses of all entries by field, sorted by place. */
void entries_collect(struct audit *a);
/* Returns the number of variables of static storage that are written while threads may run. */
unsigned long entries_variables(const struct audit *a);
/* Frees the collected accesses. */
void entries_forget(struct audit *a);
/* Returns all accesses to the field (+ 1) that may happen in parallel with others. */
struct entry_accesses *entries_of_field(const struct audit *a, unsigned field);
/* Adds the calls from the entry to the place as notes. */
void entries_notes(const struct audit *a, const struct entry_access *e, enum finding_way way,
		   struct finding *f);
/* Returns the name of a function. */
const char *entries_name(const struct audit *a, unsigned function);
/* Returns true if the name, such as x_locked, means that callers hold the lock. */
bool entries_wants_lock(const struct audit *a, unsigned function);
/* Returns true if a word of the name, such as init or free, says that the function makes objects or
   ends them. */
bool entries_makes_or_ends(const struct audit *a, unsigned function);

static inline bool entry_is(const struct entry_access *e, unsigned flags)
{
	return e->access->flags & flags;
}

/* ---- graph.c: the call graph ----------------------------------------------------------------- */

enum { ENTRY_SEVERAL = -1 };

/* Sets all other properties of the roles. */
void graph_find(struct audit *a);
/* Returns true if the access may be made while threads share the object: not only in the phases
   before the first thread and after the last one. */
bool graph_is_access_shared(const struct audit *a, const struct entry_access *e);
/* Returns true if other threads may run at this moment of the function. */
bool graph_is_shared(const struct audit *a, unsigned function, enum audit_moment moment);
/* The same by the calls in these files: false if a library's function is called only before all
   threads and after them. */
bool graph_is_called_shared(const struct audit *a, unsigned function, enum audit_moment moment);
/* Returns true if a program also makes the call before its first thread. */
bool graph_is_set_up(const struct audit *a, unsigned function, enum audit_moment moment);
/* Returns true for a function that a thread or an interface leads to, not callbacks alone. */
bool graph_is_from_known(const struct audit *a, unsigned function);
/* Returns true for a thread function whose threads follow each other: one variable has their
   handle, which is joined. */
bool graph_is_one_thread(const struct audit *a, unsigned function);
/* Returns true for a thread function whose handles are not all in one variable. */
bool graph_is_of_many(const struct audit *a, unsigned function);
/* Returns true if calls lead from a function to the other. */
bool graph_reaches(const struct audit *a, unsigned from, unsigned to);
/* Returns true if the function is called here, each time with some lock held. */
bool graph_callers_hold(const struct audit *a, unsigned function);
/* Adds a shortest path of calls from an entry to the function as notes. */
void graph_notes(const struct audit *a, unsigned function, enum finding_way way, struct finding *f);

/* ---- parallel.c: may happen in parallel ------------------------------------------------------ */

/* Sets a->sequential, a->parallel and a->kinds. */
void parallel_find(struct audit *a);
/* Returns a number; accesses with equal numbers are in one program with the same others. */
size_t parallel_kind(const struct audit *a, const struct entry_access *e);
/* Returns true if both are in one program that has threads. */
bool parallel_together(const struct audit *a, const struct entry_access *x,
		       const struct entry_access *y);
/* Returns true if the object has come by a thread's own argument: its creator has it, too. */
bool parallel_is_of_creator(const struct audit *a, const struct entry_access *e);
/* Returns true if both may happen in parallel: parallel_together() and in two threads. */
bool parallel_may_be(const struct audit *a, const struct entry_access *x,
		     const struct entry_access *y);
/* Returns true if parallel_may_be() holds, and parallel_runs_beside(). */
bool parallel_is_known(const struct audit *a, const struct entry_access *x,
		       const struct entry_access *y);
/* Returns true if two threads are known to run the functions. All threads of a whole program are
   known; of a library any two callers are two threads. */
bool parallel_are_two(const struct audit *a, unsigned x, unsigned y);
/* Returns true if parallel_are_two() holds for the function and the access, which may be made while
   threads share the object. */
bool parallel_runs_beside(const struct audit *a, unsigned function, const struct entry_access *e);
/* Returns true if a thread function reaches one and another known entry the other. */
bool parallel_is_certain(const struct audit *a, const struct entry_access *x,
			 const struct entry_access *y);
/* Returns true if a single entry reaches both, one that a single thread may run. */
bool parallel_one_entry(const struct audit *a, const struct entry_access *x,
			const struct entry_access *y);
/* Returns true if a function that leads to the access, and is no thread itself, has joined threads
   before. */
bool parallel_after_join(const struct audit *a, const struct entry_access *e);
/* Returns true if a function that leads to the access, from a thread's start or in a program, makes
   its threads later. A function of a library may be called again. */
bool parallel_before_threads(const struct audit *a, const struct entry_access *e);
/* Returns true if the function is only in programs with one thread. */
bool parallel_to_nothing(const struct audit *a, unsigned function);

/* ---- guards.c: locksets of accesses ---------------------------------------------------------- */

/* The lock that is held at the most places of a field. */
struct majority {
	unsigned key, held, places; /* key is 0 if there is no lock */
	/* Places where the field's object and the lock's are reached from each other. */
	unsigned near;
	/* Functions with places, and those that hold it at all of them. */
	unsigned functions, functions_held;
	unsigned writes, writes_held;
	bool is_told; /* @guarded_by names the lock: no other one counts */
};

/* Sets the guards of all accesses of a field, in the program's memory. */
void guards_find(const struct audit *a, struct entry_accesses *all);
/* Returns true if the access holds the lock, exclusively if it writes. */
bool guards_hold(const struct entry_access *e, unsigned key);
/* Returns true if the access holds any lock. */
bool guards_any(const struct entry_access *e);
/* Returns true if the lock is a field of the field's own struct. */
bool guards_is_own(const struct audit *a, unsigned key, unsigned field);
/* Returns the name of a lock by its key. */
const char *guards_name(const struct audit *a, unsigned key);
/* Returns true if both hold the same locks, in the same modes. */
bool guards_same(const struct entry_access *x, const struct entry_access *y);
/* Returns true if both hold a common lock, at least one exclusively. */
bool guards_exclude(const struct entry_access *x, const struct entry_access *y);
/* Returns the lock held at the most places, or the one that @guarded_by names. */
struct majority guards_majority(const struct audit *a, const struct entry_accesses *all,
				unsigned field);

/* ---- evidence.c: evidence of P3 ------------------------------------------------------------ */

/* An access without its field's lock, and the access that conflicts with it. */
struct conflict {
	const struct audit *a;
	const struct entry_accesses *all; /* accesses of the field */
	const struct entry_access *e, *other;
	const struct majority *m;
	unsigned field;
	int points; /* of the evidence */
};

/* Returns true if two threads are known, and four of five places hold the lock, or a loop waits for
   what is written: what experience shows to be true in large projects. */
bool evidence_is_firm(const struct conflict *c);
/* Returns the points of all evidence, which are added to the finding unless it is NULL. */
int evidence_add(const struct conflict *c, struct finding *f);

/* ---- entries.c: findings --------------------------------------------------------------------- */

/* Returns true if other threads may run when it happens. */
static inline bool suspicion_is_shared(const struct audit *a, const struct suspicion *s)
{
	return !parallel_to_nothing(a, s->function) && graph_is_shared(a, s->function, s->moment);
}
/* Adds a finding for the field (+ 1, or 0). Returns it, or NULL if that line has one with this
   tag. */
struct finding *check_add(struct audit *a, enum finding_tag tag, struct audit_place at,
			  unsigned field, unsigned function);
/* Sets the text: 'FIELD' of struct STRUCT ...; in FUNCTION. */
void check_say(const struct audit *a, struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds evidence against the finding if the function makes or ends objects by its name. */
void check_doubt_name(const struct audit *a, unsigned function, struct finding *f);
/* Returns the name of the field or variable at the address, or 0. */
unsigned check_place_name(const struct audit *a, unsigned address);
/* Appends the C text of the lock, in terms of the function. */
void check_lock_name(const struct audit *a, unsigned function, unsigned lock, struct str *out);
/* Returns true for a part of an element of an array, which may be another one each time. */
bool check_is_element(const struct audit *a, unsigned address);

/* ---- the properties -------------------------------------------------------------------------- */

/* check_NAME() adds the findings of one check. */
#define CHECK_DECLARED(check) void check(struct audit *a);
CHECKS(CHECK_DECLARED)

/* Runs all checks. */
static inline void checks_run(struct audit *a)
{
#define CHECK_RUN(check) check(a);
	CHECKS(CHECK_RUN)
}

#endif
