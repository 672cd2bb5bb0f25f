/* Statements that a thread has begun and not ended. */
#ifndef GATECTL_FEATURES_STATEMENT_BEGUN_H
#define GATECTL_FEATURES_STATEMENT_BEGUN_H

#include "tracer/run/places/places.h"

struct completion_frame {
	const struct place *place;
	const struct source_site *info;
	uint64_t bias;
	uint64_t frame; /* canonical frame address */
	bool call;	/* a whole function, not a statement of it */
	bool doubted;	/* an exception is on its way: will it be caught in the statement? */
};

struct elision {
	struct place *place;
	uint64_t frame; /* canonical frame address */
};

struct begun {
	ARRAY(struct elision) elisions; /* under way */
	ARRAY(struct completion_frame) frames;
	uint64_t pad; /* where an exception is about to land in this thread, or 0 */
	uint64_t top; /* ... the stack pointer of the one who sends it there */
	bool tells;   /* ... it will be seen when it is caught */
};

struct begun *begun_of(const struct run_thread *t);

/* ---- elide.c -------------------------------------------------------------------------------- */

struct decision;

/* True if an elision of the place, or with NULL of any place, is under way. */
bool elide_busy(struct run *s, const struct place *place);
void elide_decided(struct run *s, const struct decision *d);

/* ---- left.c --------------------------------------------------------------------------------- */

/* Sets the traps that tell when a statement of the place is left before its end. 0, or -1. */
int left_watch(struct run *s, struct run_process *p, struct tracee_thread *t, struct place *place,
	       struct error *err);
/* A thread is somewhere: if an exception has just led it there, what that has left is forgotten. */
void left_lands(struct run *s, const struct hit *h);

#endif
