/* Statements that a thread has begun and not ended. */
#ifndef GATECTL_FEATURES_STATEMENT_BEGUN_H
#define GATECTL_FEATURES_STATEMENT_BEGUN_H

#include "tracer/run/places/places.h"

struct completion_frame {
	const struct place *place;
	const struct source_site *info;
	uint64_t bias;
	uint64_t frame; /* canonical frame address (CFA) */
	bool call;	/* a call of a function, not a statement of it */
	bool doubted;	/* an exception is being handled and may be caught inside the statement */
};

struct elision {
	struct place *place;
	uint64_t frame; /* canonical frame address (CFA) */
	bool spurious;	/* the next wait returns without a signal; else sleeps return at once */
};

struct begun {
	ARRAY(struct elision) elisions; /* in progress */
	ARRAY(struct completion_frame) frames;
	uint64_t pad; /* landing pad to which an exception takes this thread, or 0 */
	uint64_t top; /* with `pad`: stack pointer of the code that sends it there */
	bool tells;   /* with `pad`: a trap reports when the exception is caught */
};

/* Returns the thread's data, owned by the thread. */
struct begun *begun_of(const struct run_thread *t);

/* ---- elide.c -------------------------------------------------------------------------------- */

struct decision;

/* True if an elision of the place, or of any place if NULL, is in progress. */
bool elide_busy(struct run *s, const struct place *place);
/* Observer hook: begins an elision for DECISION_ELIDE and DECISION_SPURIOUS. */
void elide_decided(struct run *s, const struct decision *d);
/* Observer hook: starts the program without the vdso if a script elides sleeps, since such a
   program's clock is ahead and its reads must be system calls. Returns 0. */
int elide_launch(struct run *s, struct tracee_launch *how, struct error *err);

/* ---- spurious.c ------------------------------------------------------------------------------ */

/* Sets traps at the functions that wait. Returns 0, or -1 with *err set. */
int spurious_put(struct run *s, struct run_process *p, struct tracee_thread *t, struct place *place,
		 struct error *err);
/* The thread begins a statement of the place in this frame: its next wait returns so. */
void spurious_begin(struct run_thread *t, struct place *place, uint64_t frame);
/* The thread has left that statement. */
void spurious_end(struct run_thread *t, const struct place *place, uint64_t frame);
/* The thread makes an exec. */
void spurious_forget(struct run_thread *t);
/* True if a wait of the place has returned without a signal. */
bool spurious_was(struct run *s, const struct place *place);

/* ---- left.c --------------------------------------------------------------------------------- */

/* Sets the traps that report when a statement of the place is left before its end. Returns 0,
 * or -1 with *err set. */
int left_watch(struct run *s, struct run_process *p, struct tracee_thread *t, struct place *place,
	       struct error *err);
/* Called at each trap of a statement: if an exception has brought the thread there, removes the
 * statements that it has left. */
void left_lands(struct run *s, const struct hit *h);

#endif
