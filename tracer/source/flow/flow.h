/*
 * Control-flow graph of one function: its instructions, basic blocks and edges. It decides at which
 * addresses breakpoints are needed so that one execution of a statement is one arrival, which line
 * tables alone cannot tell. The rules are in README.md.
 */
#ifndef GATECTL_SOURCE_FLOW_FLOW_H
#define GATECTL_SOURCE_FLOW_FLOW_H

#include "tracer/arch/arch.h"
#include "tracer/elf/module.h"
#include "tracer/source/source.h"

struct flow;

/*
 * Decodes a function, given as its address ranges, of which the .cold part is one. A range ends
 * at bytes that cannot be decoded. Never fails: an empty flow has no instructions. The caller
 * frees it with flow_free().
 */
struct flow *flow_new(struct module *m, const struct flow_ranges *code);
/* Frees a flow of flow_new(). */
void flow_free(struct flow *f);

/* True if the offset is in one of the ranges. */
bool flow_in_ranges(const struct flow_ranges *code, uint64_t offset);
/* True if the offset is one of `all`. */
bool flow_has(const struct flow_offsets *all, uint64_t offset);
/* Compares offsets, for array_sort(). */
int flow_by_offset(const void *a, const void *b);
/* Appends all of `what`. */
void flow_add_all(struct flow_offsets *to, const struct flow_offsets *what);
/* Appends all of `what`. */
void flow_add_ranges(struct flow_ranges *to, const struct flow_ranges *what);

/* Decodes the instruction at an offset of the module, and what it does (*deed). Returns false if
   there is none that is known. */
bool flow_decode(struct module *m, uint64_t at, struct arch_insn *in, struct arch_deed *deed);
/* True if an instruction begins at the offset. */
bool flow_is_insn(const struct flow *f, uint64_t offset);
/* True for an unconditional direct jump. */
bool flow_is_jump(const struct flow *f, uint64_t offset);
/* True for a conditional jump; sets *next to the offset after it. */
bool flow_is_branch(const struct flow *f, uint64_t offset, uint64_t *next);
/* True if a conditional jump in from..to leads to `to`. */
bool flow_branches_to(const struct flow *f, uint64_t from, uint64_t to);
/* Returns the number of calls in from..to. */
size_t flow_calls(const struct flow *f, uint64_t from, uint64_t to);
/* True if the function has an indirect jump that may use a jump table. */
bool flow_has_table(const struct flow *f);
/* True if all of the function is decoded and each direct jump leads to a decoded instruction.
   Otherwise data is mixed with the code, or a jump skips a prefix, and the flow is incomplete. */
bool flow_is_whole(const struct flow *f);
/* True if control continues from the preceding instruction to this one. */
bool flow_falls_into(const struct flow *f, uint64_t offset);
/*
 * True if a jump and a block that ends without a jump lead to the offset: bytes between that are no
 * instruction may belong to either. Compilers leave no empty block between a branch and a label.
 * True if no instruction begins at the offset.
 */
bool flow_is_join(const struct flow *f, uint64_t offset);
/* True if a direct jump or an exception leads to the offset. */
bool flow_is_jumped_to(const struct flow *f, uint64_t offset);
/* Appends the direct jumps that lead to the offset. */
void flow_jumps_to(const struct flow *f, uint64_t offset, struct flow_offsets *out);

/*
 * Removes the starts of a statement that need no breakpoint, but not all (rules: README.md).
 * `starts`: first addresses of its blocks; `code`: its code without inlined bodies; `columns`: of
 * the starts, or NULL. `marks`: starts of one column are separate executions.
 */
void flow_statement_starts(const struct flow *f, struct flow_offsets *starts,
			   const unsigned *columns, bool marks, const struct flow_ranges *code);

/* True if control at `from` always reaches `to`, without a branch or call. Appends the
   code between to `passed`. */
bool flow_leads_on(const struct flow *f, uint64_t from, uint64_t to, struct flow_ranges *passed);
/* Appends the heads of loops in the ranges that code outside of the ranges jumps back to. */
void flow_heads(const struct flow *f, const struct flow_ranges *code, struct flow_offsets *out);
/* Appends the first addresses of blocks in the ranges that are entered from outside alone and jump
   back to the head of their loop: the ends of its iterations. */
void flow_round_ends(const struct flow *f, const struct flow_ranges *code,
		     struct flow_offsets *out);
/* Result of flow_passing(): control always passes one of the offsets, can leave the ranges without,
   or can loop in them without. */
enum flow_passing { FLOW_PASSES, FLOW_SKIPS, FLOW_TURNS };
/* Returns whether control at `from`, in the ranges, passes one of `all` before it is at `from`
   again or the function ends. */
enum flow_passing flow_passing(const struct flow *f, const struct flow_ranges *code, uint64_t from,
			       const struct flow_offsets *all);
/* True if control at `from`, which is not in `all`, can reach `from` again without
   passing one of `all`. */
bool flow_comes_again(const struct flow *f, uint64_t from, const struct flow_offsets *all);
/* True if control at `from` can reach `to`, or if that is unknown. */
bool flow_leads(const struct flow *f, uint64_t from, uint64_t to);
/* True if control at `from` can reach `from` again by passing one of `others`, without
   passing one of `all`. */
bool flow_comes_by(const struct flow *f, uint64_t from, const struct flow_offsets *others,
		   const struct flow_offsets *all);
/* True if control at `from` can loop in the ranges without passing one of `all`. */
bool flow_turns(const struct flow *f, const struct flow_ranges *code, uint64_t from,
		const struct flow_offsets *all);
/* True if control at one of `all` can pass another one before it leaves the ranges. */
bool flow_passes_two(const struct flow *f, const struct flow_ranges *code,
		     const struct flow_offsets *all);

/*
 * Appends the places where control enters an inlined copy, once for each call; for the head of a
 * loop the jumps to it. `entry` counts if no known edge leads there. `marks` or NULL: only these
 * and `entry`. `own`: starts of the calling statement; a loop through one of them is a new call.
 */
void flow_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
		  const struct flow_offsets *marks, const struct flow_offsets *own,
		  struct flow_offsets *out);
/* Appends all places where control enters the ranges, even if one call passes two. */
void flow_all_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
		      struct flow_offsets *out);
/* True if the range has no call, branch or return. */
bool flow_only_computes(const struct flow *f, const struct module_range *range);
/* True if the instruction at `one` follows an unconditional jump in the ranges (*jump) and other
   code of the function jumps to it. */
bool flow_behind_jump(const struct flow *f, const struct flow_ranges *code, uint64_t one,
		      uint64_t *jump);
/* A path into a range of code. */
struct flow_way {
	uint64_t offset;
	bool if_taken; /* only if the jump at `offset` is taken */
	uint64_t to;   /* first offset inside; equal to `offset` if control is there already */
};
struct flow_ways {
	struct flow_way *items;
	size_t count, capacity;
};
/*
 * Appends the paths by which other code of the function enters the ranges at `one`, in their
 * middle, without having entered at one of `starts`: `one` itself, or the jumps to it if the ranges
 * also jump there (head of a loop).
 */
void flow_ways_in(const struct flow *f, const struct flow_ranges *code,
		  const struct flow_offsets *starts, uint64_t one, struct flow_ways *out);
/*
 * Appends the first offsets at which control enters an inlined copy, in whatever pieces.
 * `known`: the copy is certainly entered at `entry`; appends only other entries that do not
 * continue from there.
 */
void flow_copy_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
		       bool known, struct flow_offsets *out);
/*
 * Appends to *out, which is empty, the paths to `one`, the head of a loop in the ranges, from
 * outside the loop: jumps, or the instruction before it. Returns false if it is no such head or an
 * indirect path leads there.
 */
bool flow_ways_to_loop(const struct flow *f, const struct flow_ranges *code, uint64_t one,
		       struct flow_ways *out);
/*
 * Appends the exits from the ranges, sorted, each once: addresses outside that control falls or
 * jumps to, and the return and tail-jump instructions inside. Calls return, so they do not leave.
 */
void flow_exits(const struct flow *f, const struct flow_ranges *code, struct flow_offsets *out);

/*
 * True if control enters the ranges at `starts` alone, passing one of them, and reaches each of
 * `exits` (flow_exits()) from the ranges alone: a thread at an exit has passed the ranges once,
 * from the beginning. False with a jump table, a landing pad or a call that may return twice.
 */
bool flow_is_closed(const struct flow *f, const struct flow_ranges *code,
		    const struct flow_offsets *starts, const struct flow_offsets *exits);

/* Returns the beginning of the block that continues to `to` without a jump or call, if control
   enters that block from the ranges alone; else `to`. */
uint64_t flow_led_to(const struct flow *f, const struct flow_ranges *code, uint64_t to);

/* A return of a function: a return instruction, a direct jump out of it, or an indirect jump. */
struct flow_return {
	uint64_t offset;
	/* check_target: a tail call only if arch_jump_target() is outside of the function */
	bool tail, check_target;
};
struct flow_returns {
	struct flow_return *items;
	size_t count, capacity;
};
/* Appends the returns of the function. */
void flow_returns(const struct flow *f, struct flow_returns *out);

/*
 * True if control reaches `to` from `from` in a straight line, without call or jump, and no jump
 * leads into (from, to]. Each call of a function that begins at `from` then passes `to` once: the
 * prologue may end there.
 */
bool flow_is_straight(const struct flow *f, uint64_t from, uint64_t to);
/* True if control reaches `to` from `from` in a straight line with at least one
   call and nothing else. */
bool flow_only_calls(const struct flow *f, uint64_t from, uint64_t to);

/* Returns the flow of the function with this code, from a cache of the module,
   valid until flows_trim(). */
struct flow *flow_for(struct module *m, const struct flow_ranges *code);
/* Limits the caches of flows, when no query uses them. */
void flows_trim(struct modules *s);

/* Returns the entry of the global offset table that holds the target of the call or jump at the
   address, directly or by a stub; 0 if there is none. */
uint64_t call_slot(struct module *m, uint64_t address, const struct arch_insn *call);

/* ---- accesses.c: instructions that may access shared memory, for the search for races ----- */

/* An instruction that may access shared memory. */
struct source_access {
	uint64_t offset;
	/* ARCH_OWN_*: registers that point into the thread's own frame, for arch_accesses() */
	unsigned own;
	struct arch_shared what;
};

/*
 * Calls `each` for the instructions that may access shared memory, and PAUSE, in ascending order
 * for each function; not for reads of constants. `described`: only functions with line numbers.
 * Functions are found by their call frame information alone; returns false if there is none.
 */
bool source_accesses(struct module *m, bool described,
		     void (*each)(void *ctx, const struct source_access *a), void *ctx);
/* The same for the functions that these ranges are in. */
void source_accesses_in(struct module *m, const struct flow_ranges *ranges,
			void (*each)(void *ctx, const struct source_access *a), void *ctx);

#endif
