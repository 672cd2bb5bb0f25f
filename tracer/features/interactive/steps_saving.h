/* Between steps_needs.c, which finds out what has to be said, and steps_script.c, which says it. */
#ifndef GATECTL_FEATURES_INTERACTIVE_STEPS_SAVING_H
#define GATECTL_FEATURES_INTERACTIVE_STEPS_SAVING_H

#include "tracer/features/interactive/interactive_internal.h"

enum { NEVER = -1 };

struct saving {
	const struct interactive *interactive;
	const struct steps_taken *taken;
	struct interactive_saving *how;
	bool *needed; /* by phase: the gate of its end */
	long *stays; /* by phase: who got somewhere then stays there until the end of this one; NEVER */
	struct str gates, places, orders, rests;
	struct error *err;
};

/* Fills `needed` and `stays`. 0, or -1 with the step that was refused. */
int steps_needs(struct saving *v);

/* Phase p, or the last one before it whose end is told; NEVER: the beginning. */
long steps_told(const struct saving *v, long p);
struct steps_phase *steps_phase_at(const struct saving *v, long p);
/* It stands through phase p; or NULL. */
const struct steps_stand *steps_stand_in(const struct saving *v, long p, const char *thread);
bool steps_is_left_out(const struct saving *v, size_t step);
/* What is done at the stop behind phase p: gates opened, threads let past theirs. */
bool steps_is_deed(const struct saving *v, const struct steps_step *step, long p);
bool steps_has_deed(const struct saving *v, long p);
/* The script tells the end of phase p by nobody being able to move. */
bool steps_ends_at_rest(const struct saving *v, long p);
/* The last phase through which it stands, from phase p on. */
long steps_stands_until(const struct saving *v, long p, const char *thread);
bool steps_is_held_throughout(const struct saving *v, long p, long q, const char *thread);
/* Does it stand at p, and not before? */
bool steps_begins(const struct saving *v, long p, const struct steps_stand *stand);
/* Its start waits for the end of this phase; NEVER: for none. */
long steps_begins_after(const struct saving *v, const struct session_thread *t);
bool steps_is_named(const struct saving *v, const struct session_thread *t);
/* The script has a place for whoever got somewhere at the end of phase p. */
bool steps_is_told_there(const struct saving *v, long p);
/* Whoever stood until the end of phase p, or got there then, comes later than that. */
bool steps_is_behind(const struct saving *v, long p, const char *thread);
/* So often it has arrived there since its beginning. 0: that is not known, but from when it was let go. */
unsigned steps_hits_of(const struct saving *v, long p);

#endif
