/* Internal to flow: instructions, basic blocks and edges, and what its files share. */
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
	uint32_t jumps;		   /* number of direct jumps of this function to here */
	bool is_pad;		   /* landing pad of this function */
	uint8_t returns;	   /* enum call_returns */
	uint32_t pad; /* instruction that continues after an exception of this call, or FLOW_NONE */
	uint32_t block; /* index of its block */
};

/* A basic block, instructions first..last: only the first is jumped to, only the
   last jumps or throws. */
struct flow_block {
	uint32_t first, last;
	uint32_t next[2]; /* indexes of blocks, or FLOW_NONE */
	uint32_t pad;	  /* block of the landing pad of the call at its end, or FLOW_NONE */
	bool indirect;	  /* its last jump may lead to any block of unknown[] */
	bool entered;	  /* a known edge, possibly from the block itself, leads here */
	bool unknown;	  /* in unknown[] or roots[]: may also be entered in an unknown way */
	bool live;	  /* reachable */
	bool padding;	  /* nops after a jump or return: they lead nowhere */
};

struct flow {
	struct flow_ranges ranges;	 /* sorted, without overlaps */
	ARRAY(struct flow_insn) insns;	 /* sorted by offset */
	ARRAY(struct flow_block) blocks; /* sorted by offset */
	ARRAY(uint32_t) roots;		 /* indexes of blocks where control enters the function */
	/* Indexes of blocks that no known edge leads to, if an indirect jump may. */
	ARRAY(uint32_t) unknown;
	bool has_indirect; /* an indirect jump may use a jump table */
	bool whole;	   /* flow_is_whole() */
};

/* Returns the index of the instruction that begins at the offset, or FLOW_NONE. */
uint32_t flow_find(const struct flow *f, uint64_t offset);

/* Returns the index of the block with the instruction that begins at the offset, or FLOW_NONE. */
uint32_t flow_block_at(const struct flow *f, uint64_t offset);

/* True if control may continue at the next instruction. Calls return unless known not to. */
bool flow_falls_through(const struct flow_insn *in);
/* True for a direct or indirect call. */
bool flow_is_call(const struct flow_insn *in);
/* True for a direct jump, conditional or not: it has a `target`. */
bool flow_has_target(const struct flow_insn *in);

/* True if an edge leads from the block to the other one. */
bool flow_leads_to(const struct flow_block *b, uint32_t block);

/* A walk through the blocks that can be reached without entering `avoid`. */
struct flow_walk {
	const struct flow *flow;
	uint32_t avoid;
	bool *seen;	 /* one for each block, and one for "an indirect jump was seen" */
	uint32_t *stack; /* blocks seen whose successors are not visited yet */
	size_t depth;
};

/* Prepares a walk; flow_walk_fini() frees its arrays. */
void flow_walk_init(struct flow_walk *w, const struct flow *f);
/* Frees the arrays of the walk. */
void flow_walk_fini(struct flow_walk *w);
/* Forgets all blocks seen and sets the block to avoid, or FLOW_NONE. */
void flow_walk_clear(struct flow_walk *w, uint32_t avoid);
/* Adds a block to begin at. */
void flow_walk_add(struct flow_walk *w, uint32_t block);
/* Adds the successors of the block. */
void flow_walk_next(struct flow_walk *w, uint32_t block);
/* Visits all that is reachable from the blocks added. */
void flow_walk_run(struct flow_walk *w);
/* Visits all that is reachable from the function's entries. */
void flow_walk_roots(struct flow_walk *w, uint32_t avoid);
/* Visits what is reachable from the block within the ranges, and the first blocks outside. */
void flow_walk_inside(struct flow_walk *w, const struct flow_ranges *code, uint32_t from);
/* True if the block of `one` is the head of a loop in the ranges and each
   iteration passes one of `own`. */
bool flow_turns_at(const struct flow *f, const struct flow_ranges *code, uint64_t one,
		   const struct flow_offsets *own);
/* True if all paths to `block` lead through `head`: head dominates block. */
bool flow_dominates(struct flow_walk *w, uint32_t head, uint32_t block);

/* ---- call_returns.c ------------------------------------------------------------------------- */

/*
 * How a call returns. Functions that end the thread or process, throw or unwind never do;
 * setjmp(3) and getcontext(3) may return a second time. Debug information marks few of them, so
 * they are recognised by name.
 */
enum call_returns { CALL_RETURNS, CALL_NEVER_RETURNS, CALL_RETURNS_AGAIN };

/* Returns how the call at the address returns; CALL_RETURNS for other instructions. */
enum call_returns call_returns(struct module *m, uint64_t address, const struct arch_insn *call);

/* ---- references.c --------------------------------------------------------------------------- */

/* True if bytes of the module's segments may be one of the addresses (ascending), or in its code a
   distance of four bytes to one. Longer matches are rarely by chance; short jumps are not found. */
bool references_to(const struct module *m, const uint64_t *addresses, size_t count);

/* ---- frame_slots.c: escape analysis of a frame ---------------------------------------------- */

/* A variable whose address the function takes may be shared with another thread. All other places
   of its frame are the thread's own. */
/* Origin of a place in the frame: the CFA, which is the same in the whole function, or if it is
   unknown relative to that register, the register's value in most of the function. */
enum frame_from { FRAME_FROM_CFA, FRAME_FROM_SP, FRAME_FROM_FP };

struct frame_span {
	enum frame_from from;
	int64_t low, high; /* distances in bytes from the origin; high is exclusive */
};

struct frame_spans {
	struct frame_span *items;
	size_t count, capacity;
};

struct frame_slots {
	struct module *module;
	uint64_t function;			    /* its first offset */
	uint64_t first;				    /* first instruction that takes an address */
	struct frame_spans taken, variables, given; /* given: spans that may be shared */
	bool settled;				    /* `given` is computed */
};

/* Begins another function; the arrays keep their capacity. */
void frame_slots_begin(struct frame_slots *s, struct module *m, uint64_t function);
/* Frees the arrays. */
void frame_slots_fini(struct frame_slots *s);

/* Records that the instruction at `pc` takes the address of this slot. All are recorded
   before the first query. */
void frame_slots_take(struct frame_slots *s, uint64_t pc, const struct arch_slot *slot);

/* True if the instruction at `pc` accesses memory that may be shared: a variable whose address is
   taken, or without debug information for it all memory up to the next known variable. */
bool frame_slots_is_given(struct frame_slots *s, uint64_t pc, const struct arch_slot *slot);

/* ---- frame_variables.c ---------------------------------------------------------------------- */

/* Base of a place relative to the CFA. The other bases are ARCH_DWARF_SP and ARCH_DWARF_FP. */
enum { FRAME_VARIABLE_CFA = ARCH_NO_REGISTER };
/* Calls `each` for the variables and parameters of the function, its blocks and its inlined copies
   that are in the frame and have a known size (bytes). None without debug information. */
void frame_variables(struct module *m, uint64_t function,
		     void (*each)(void *ctx, unsigned base, int64_t offset, uint64_t size),
		     void *ctx);

#endif
