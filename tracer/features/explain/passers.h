/* Which threads have been at a place, whether it means them or not. */
#ifndef GATECTL_FEATURES_EXPLAIN_PASSERS_H
#define GATECTL_FEATURES_EXPLAIN_PASSERS_H

#include "tracer/run/state.h"

/* A thread that came by, whether `thread` means it or not. */
struct passer {
	const struct engine_thread *thread;
	unsigned long count;
};

struct passers {
	struct passer *items;
	size_t count, capacity;
	unsigned long
		more; /* times by others: decided inside the program, or these are too many to name */
};

/* Notes that a thread is at the place, whether it is meant or not. */
void passers_comes(struct run *s, const struct run_thread *t, struct place *place);
/* How many were decided inside the program: nobody knows whose they were. */
void passers_inside_add(const struct place *p, unsigned long arrivals);
/* The same of those whom the place is not meant for. */
void passers_others_add(const struct place *p, unsigned long times);
unsigned long passers_inside(const struct place *p);
bool passers_any(const struct place *p); /* has anybody been there? */
/* FUNC%return: did a thread arrive at a jump to a function that was still to run? */
bool passers_jumped(const struct place *p);
/* The threads that the place's `thread` option means, or those that it does not, in order of
   creation: so runs that differ only in who came first are described in the same words. The caller
   frees the list with array_fini(). */
void passers_of(struct run *s, const struct place *p, bool meant, struct passers *out);
/* "main (3 times) and worker#1"; where not all is known "other threads (1000 times)". */
void passers_add(const struct passers *list, struct str *out);

#endif
