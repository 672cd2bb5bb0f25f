/* Between steps_needed.c, which finds out what has to be said, and steps_script.c, which says
   it. */
#ifndef GATECTL_FEATURES_INTERACTIVE_STEPS_SAVING_H
#define GATECTL_FEATURES_INTERACTIVE_STEPS_SAVING_H

#include "tracer/features/interactive/interactive_internal.h"

enum { NEVER = -1 };

struct saving {
	const struct interactive *interactive;
	const struct steps_taken *taken;
	struct interactive_saving *how;
	bool in_table; /* gates are fields of a table: Lua has no room for so many locals */
	bool *needed;  /* by phase: is a gate for its end needed? */
	long *stays;   /* by phase: who arrived at its end stays until the end of this one; NEVER */
	struct str gates, places, orders, rests;
	struct error *err;
};

/* Fills `needed` and `stays`. 0, or -1 with the step that was refused. */
int steps_needs(struct saving *v);

/* Phase p, or the last one before it whose end the script tells; NEVER: the start of the
   program. */
long steps_told(const struct saving *v, long p);
struct steps_phase *steps_phase_at(const struct saving *v, long p);
bool steps_is_left_out(const struct saving *v, size_t step);
/* Is it an action at the stop after phase p: opening a gate, letting a thread past its gate? */
bool steps_is_deed(const struct saving *v, const struct steps_step *step, long p);
bool steps_has_deed(const struct saving *v, long p);
/* Does the script take the end of phase p to be when nobody can move? */
bool steps_ends_at_rest(const struct saving *v, long p);
/* The last phase through which it stands, counting from phase p. */
long steps_stands_until(const struct saving *v, long p, const char *thread);
bool steps_is_held_throughout(const struct saving *v, long p, long q, const char *thread);
/* Does its stand begin with phase p? */
bool steps_begins(const struct saving *v, long p, const struct steps_stand *stand);
/* The phase whose end the thread's start waits for; NEVER: none. */
long steps_begins_after(const struct saving *v, const struct run_thread *t);
bool steps_is_named(const struct saving *v, const struct run_thread *t);
/* Does the script have a place for the thread that arrived at the end of phase p? */
bool steps_is_told_there(const struct saving *v, long p);
/* Did it stand until the end of phase p, or arrive then? Then whatever it does is later than
   that. */
bool steps_is_behind(const struct saving *v, long p, const char *thread);
/* How often it had arrived there since its start. 0: only known since it was let go. */
unsigned steps_hits_of(const struct saving *v, long p);

#endif
