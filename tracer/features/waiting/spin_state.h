/* Has a thread been in this state before? Used by spin.c. */
#ifndef GATECTL_FEATURES_WAITING_SPIN_STATE_H
#define GATECTL_FEATURES_WAITING_SPIN_STATE_H

#include "tracer/arch/decides.h"
#include "tracer/run/state.h"

/* Which values decide at an address of the program's code; found out once, also for its copies. */
struct spin_decides {
	const struct module *module; /* at the same address in all processes; NULL: of this one: */
	int pid;
	uint64_t pc;
	uint32_t known;
	struct arch_decides decides;
};
struct spin_code {
	struct spin_decides *items;
	size_t count, capacity;
};

/* A state that a thread was seen in, and how often. */
struct spin_seen {
	uint64_t state;
	unsigned times;
};
struct spin_states {
	struct spin_seen *items;
	size_t count, capacity;
	unsigned samples, once; /* all; states seen only once */
};

/* The state of a stopped thread as one number: where it is in each of its calls, and all values
   that decide where it goes from there. From equal states a thread goes the same way, apart from
   what others do. */
uint64_t spin_state(struct run_thread *t, struct spin_code *code);

/* Does a call come back to where it is, in the same call of its function? */
enum spin_loop {
	SPIN_NO_LOOP, /* as far as its code tells */
	SPIN_ENDLESS, /* ... and nothing in the function decides what it does */
	SPIN_LOOP,
};
enum spin_loop spin_loop_of(struct run_process *p, const struct dwarf_frame *call,
			    struct spin_code *code);
/* Name of the innermost function inlined into the call that contains all of the loop, else of the
   call's function. The module owns the name. Returns NULL if the function has no name. */
const char *spin_loop_function(struct run_process *p, const struct dwarf_frame *call,
			       struct spin_code *code);

void spin_states_add(struct spin_states *states, uint64_t state);
void spin_states_clear(struct spin_states *states);
/* Do the same states recur? A state seen only once stands for progress. */
bool spin_states_repeat(const struct spin_states *states, unsigned least);
/* Too few samples to tell, up to `most`, but those so far do not speak against it. */
bool spin_states_may_repeat(const struct spin_states *states, unsigned least, unsigned most);

#endif
