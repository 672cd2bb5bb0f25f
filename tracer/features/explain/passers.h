/* Who has been at a place, whether it means them or not. */
#ifndef GATECTL_FEATURES_EXPLAIN_PASSERS_H
#define GATECTL_FEATURES_EXPLAIN_PASSERS_H

#include "tracer/run/state.h"

/* A thread came by, whether `thread` means it or not. */
struct passer {
	const struct engine_thread *thread;
	unsigned long count;
};

struct passers {
	struct passer *items;
	size_t count, capacity;
};

/* A thread is at the place, whether it is meant or not. */
void passers_comes(const struct session_thread *t, struct place *place);
bool passers_any(const struct place *p); /* has anybody been there? */
/* FUNC%return: an arrival was at a jump to a function that was still to run. */
bool passers_jumped(const struct place *p);
/* Those that the place's `thread` option means, or those that it does not: in order of creation, so
   that runs that differ in nothing but who came first are told in the same words. */
void passers_of(struct session *s, const struct place *p, bool meant, struct passers *out);
/* "main (3 times) and worker#1" */
void passers_add(const struct passers *list, struct str *out);

#endif
