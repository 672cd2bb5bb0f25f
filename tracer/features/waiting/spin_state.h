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
uint64_t spin_state(struct session_thread *t, struct spin_code *code);

void spin_states_add(struct spin_states *states, uint64_t state);
void spin_states_clear(struct spin_states *states);
/* Do the same states recur? A state seen only once stands for progress. */
bool spin_states_repeat(const struct spin_states *states, unsigned least);
/* The samples are too few to tell, but none so far speaks against it. */
bool spin_states_may_repeat(const struct spin_states *states, unsigned least);

#endif
