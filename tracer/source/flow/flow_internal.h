/* Inside flow: instructions, basic blocks and the edges between them; and what the other files share. */
#ifndef GATECTL_SOURCE_FLOW_FLOW_INTERNAL_H
#define GATECTL_SOURCE_FLOW_FLOW_INTERNAL_H

#include "tracer/arch/arch.h"
#include "tracer/base/array.h"
#include "tracer/source/flow/flow.h"

#define FLOW_NONE UINT32_MAX

struct flow_insn {
	uint64_t offset, target;
	uint8_t length;
	uint8_t flow;		   /* enum arch_flow */
	bool is_nop, may_be_table; /* as in arch_insn */
	uint32_t jumps;		   /* direct ones of this function lead here */
	bool is_pad;		   /* a landing pad of this function */
	uint8_t returns;	   /* enum call_returns */
	uint32_t pad;		   /* the instruction where it goes on if it throws, or FLOW_NONE */
	uint32_t block;
};

/* Instructions first..last of which only the first is jumped to and only the last jumps or throws. */
struct flow_block {
	uint32_t first, last;
	uint32_t next[2]; /* blocks, or FLOW_NONE */
	uint32_t pad;	  /* where it goes on if the call at its end throws, or FLOW_NONE */
	bool indirect;	  /* its last jump may lead to any block of unknown[] */
	bool entered;	  /* a known edge from another block, or from itself, leads here */
	bool unknown;	  /* is in unknown[] or roots[]: also entered from where nobody knows */
	bool live;	  /* reached somehow */
	bool padding;	  /* nops behind a jump or return: they lead nowhere */
};

struct flow {
	struct flow_ranges ranges;	 /* sorted, without overlaps */
	ARRAY(struct flow_insn) insns;	 /* by offset */
	ARRAY(struct flow_block) blocks; /* by offset */
	ARRAY(uint32_t) roots;		 /* blocks where control comes from outside */
	ARRAY(uint32_t)
	unknown; /* blocks that nothing known leads to, if there is an
		    indirect jump that can be thought to */
	bool has_indirect;
	bool whole; /* flow_is_whole() */
};

/* The instruction that begins at the offset, or FLOW_NONE. */
uint32_t flow_find(const struct flow *f, uint64_t offset);

/* The block that holds the instruction which begins at the offset, or FLOW_NONE. */
uint32_t flow_block_at(const struct flow *f, uint64_t offset);

/* Does the next instruction come after this one (other calls are thought to come back)? */
bool flow_falls_through(const struct flow_insn *in);
bool flow_is_call(const struct flow_insn *in);
/* Is there a jump to `target`? */
bool flow_has_target(const struct flow_insn *in);

/* Does the block lead to that one? */
bool flow_leads_to(const struct flow_block *b, uint32_t block);

/* What can be reached: a walk through the blocks that never enters `avoid`. */
struct flow_walk {
	const struct flow *flow;
	uint32_t avoid;
	bool *seen;	 /* one for each block, and one for "an indirect jump was seen" */
	uint32_t *stack; /* blocks seen whose successors were not visited yet */
	size_t depth;
};

void flow_walk_init(struct flow_walk *w, const struct flow *f);
void flow_walk_fini(struct flow_walk *w);
void flow_walk_clear(struct flow_walk *w, uint32_t avoid); /* nothing seen yet */
void flow_walk_add(struct flow_walk *w, uint32_t block);   /* a place to begin at */
void flow_walk_next(struct flow_walk *w, uint32_t block);  /* all ways out of it */
void flow_walk_run(struct flow_walk *w);
void flow_walk_roots(struct flow_walk *w, uint32_t avoid); /* all of the function */
/* Marks what is reached from the block without leaving the ranges, and where control leaves them. */
void flow_walk_inside(struct flow_walk *w, const struct flow_ranges *code, uint32_t from);
/* Is the block that `one` stands in the head of a loop in the ranges, and does each round of it pass one of `own`? */
bool flow_turns_at(const struct flow *f, const struct flow_ranges *code, uint64_t one,
		   const struct flow_offsets *own);
/* Do all paths to the one block lead through the other? */
bool flow_dominates(struct flow_walk *w, uint32_t head, uint32_t block);

/* ---- call_returns.c ------------------------------------------------------------------------------ */

/*
 * How calls come back. Those of exit(3), abort(3), a failed assert(3), of what throws an exception or unwinds further, never do:
 * what stands behind them is reached from elsewhere, or not at all. Those of setjmp(3) and getcontext(3) may come back again.
 * Debug information tells it of few, so they are known by their names.
 */
enum call_returns { CALL_RETURNS, CALL_NEVER_RETURNS, CALL_RETURNS_AGAIN };

/* Of the instruction at the address; CALL_RETURNS for one that is no call. */
enum call_returns call_returns(struct module *m, uint64_t address, const struct arch_insn *call);

/* ---- references.c: what in a module may lead to a place of it, whoever put it there, judged by bytes alone ------ */

/*
 * Is there anything in the loaded bytes of the file that may be one of these addresses (in ascending order), or in its code the
 * distance to one? Of four bytes or more, so that it hardly ever is by chance: a short jump is not found.
 */
bool references_to(const struct module *m, const uint64_t *addresses, size_t count);

/* ---- frame_slots.c ------------------------------------------------------------------------------- */

/*
 * Which places of a function's frame others may know: a variable whose address the function takes may have been given
 * to another thread, all others of its frame are its own.
 */
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

/* ---- frame_variables.c --------------------------------------------------------------------------- */

/*
 * All variables and parameters of the function that begins there, of all its blocks and of the copies in it, that stand
 * at a distance from the CFA (base FRAME_VARIABLE_CFA), from ARCH_DWARF_SP or from ARCH_DWARF_FP, and have a known size.
 * Without debug information: none.
 */
enum { FRAME_VARIABLE_CFA = ARCH_NO_REGISTER };
void frame_variables(struct module *m, uint64_t function,
		     void (*each)(void *ctx, unsigned base, int64_t offset, uint64_t size),
		     void *ctx);

#endif
