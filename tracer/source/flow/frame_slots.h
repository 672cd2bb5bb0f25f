/*
 * Which places of a function's frame others may know: a variable whose address the function takes may have been given
 * to another thread, all others of its frame are its own.
 */
#ifndef GATECTL_SOURCE_FLOW_FRAME_SLOTS_H
#define GATECTL_SOURCE_FLOW_FRAME_SLOTS_H

#include "tracer/arch/arch.h"
#include "tracer/elf/module.h"

/* Places are distances from the CFA, which is the same all through the function; or, where the CFA is not told by that
   register, from what the register is in most of it. */
enum frame_from { FRAME_FROM_CFA, FRAME_FROM_SP, FRAME_FROM_FP };

struct frame_span {
	enum frame_from from;
	int64_t low, high;
};

struct frame_spans {
	struct frame_span *items;
	size_t count, capacity;
};

struct frame_slots {
	struct module *module;
	uint64_t function; /* where it begins */
	uint64_t first;	   /* instruction that takes an address */
	struct frame_spans taken, variables, given;
	bool settled; /* `given` is known */
};

/* Another function; what was allocated is used again. */
void frame_slots_begin(struct frame_slots *s, struct module *m, uint64_t function);
void frame_slots_fini(struct frame_slots *s);

/* The instruction at `pc` takes the address of this place. All of them come before the first question. */
void frame_slots_take(struct frame_slots *s, uint64_t pc, const struct arch_slot *slot);

/* Does the instruction at `pc` touch what may be known elsewhere? That is the whole variable in which an address that was
   taken lies, as the debug information says; where it says nothing, all up to the next known one. */
bool frame_slots_is_given(struct frame_slots *s, uint64_t pc, const struct arch_slot *slot);

#endif
