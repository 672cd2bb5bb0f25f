/* Functions that any thread may call, and what they do to fields in the end. */
#ifndef GATECTL_AUDIT_CHECKS_ENTRIES_H
#define GATECTL_AUDIT_CHECKS_ENTRIES_H

#include "tracer/audit/audit.h"

/* Once, when the facts of all functions are there. */
void entries_find(struct audit *a);
/* Called from outside: public ones, thread functions, callbacks. */
bool entries_is(const struct audit *a, unsigned function);

/* Who calls it, with what in hand, is not known: its address is somewhere, and it is no thread's first function. */
bool entries_is_callback(const struct audit *a, unsigned function);

/* Nobody calls it, in a program: it may be dead. */
bool entries_is_unused(const struct audit *a, unsigned function);

/* Its name says that its callers have the lock. */
bool entries_wants_lock(const struct audit *a, unsigned function);

/* One access, as an entry comes to it. */
struct entry_access {
	const struct audit_access *access;
	unsigned entry;
	struct audit_place at;	/* the innermost place */
	unsigned function;	/* ... and its function */
	struct guarded *guards; /* check_guards.c's */
};

/* Sorted by place. */
struct entry_accesses {
	ARRAY(struct entry_access) items;
};

/* All accesses to the field (+ 1) that may be beside others, of all entries. */
struct entry_accesses *entries_of_field(const struct audit *a, unsigned field);
/* Once, when the facts of all functions are there; and when they are not needed any more. */
void entries_collect(struct audit *a);
void entries_forget(struct audit *a);

/* Those of one kind are together with the same others. */
size_t entries_kind(const struct audit *a, const struct entry_access *e);
/* Are both in one program, and has it threads? */
bool entries_together(const struct audit *a, const struct entry_access *x,
		      const struct entry_access *y);
/* ... and may they be of two threads? */
bool entries_beside(const struct audit *a, const struct entry_access *x,
		    const struct entry_access *y);
/* ... for certain: one of them is what a thread begins with, and the other one comes from elsewhere? */
bool entries_in_two_threads(const struct audit *a, const struct entry_access *x,
			    const struct entry_access *y);
/* Does one entry alone lead to both, and may it be one thread's alone? */
bool entries_of_one(const struct audit *a, const struct entry_access *x,
		    const struct entry_access *y);
/* Has its entry waited for the threads by then? */
bool entries_behind_threads(const struct audit *a, const struct entry_access *e);
/* Is the function of programs alone that have one thread? */
bool beside_nobody(const struct audit *a, unsigned function);
/* Once, when the facts of all functions are there. */
void beside_find(struct audit *a);

bool entries_same_place(struct audit_place a, struct audit_place b);
/* The way from the entry to the place, as notes. */
void entries_notes(const struct audit *a, const struct entry_access *e, enum finding_way way,
		   struct finding *f);
/* Once, when it is known which functions are called from outside. */
void ways_find(struct audit *a);
/* A way from an entry to the function, as notes; none: it is one, or none leads there. */
void ways_notes(const struct audit *a, unsigned function, enum finding_way way, struct finding *f);

const char *entries_name(const struct audit *a, unsigned function);

#endif
