/* Inside flow: instructions, basic blocks and the edges between them. */
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
	ARRAY(struct module_range) ranges; /* sorted, without overlaps */
	ARRAY(struct flow_insn) insns;	   /* by offset */
	ARRAY(struct flow_block) blocks;   /* by offset */
	ARRAY(uint32_t) roots;		   /* blocks where control comes from outside */
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
void flow_walk_inside(struct flow_walk *w, const struct module_range *ranges, size_t count,
		      uint32_t from);
/* Is the block that `one` stands in the head of a loop in the ranges, and does each round of it pass one of `own`? */
bool flow_turns_at(const struct flow *f, const struct module_range *ranges, size_t count,
		   uint64_t one, const struct flow_offsets *own);
/* Do all paths to the one block lead through the other? */
bool flow_dominates(struct flow_walk *w, uint32_t head, uint32_t block);

#endif
