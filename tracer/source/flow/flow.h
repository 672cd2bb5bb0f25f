/*
 * The control flow of one function: its instructions and the edges between them. It answers the
 * question that line tables alone cannot: at which addresses must a trap stand, so that one
 * execution of a statement is one arrival?
 */
#ifndef GATECTL_SOURCE_FLOW_FLOW_H
#define GATECTL_SOURCE_FLOW_FLOW_H

#include "tracer/arch/arch.h"
#include "tracer/elf/module.h"
#include "tracer/source/source.h"

struct flow;

/* Decodes a function, given as its address ranges (the .cold part is one of them). Code that cannot
   be decoded ends there. Never fails: an empty flow has no instructions. */
struct flow *flow_new(struct module *m, const struct flow_ranges *code);
void flow_free(struct flow *f);

/* Is the offset in one of them? */
bool flow_in_ranges(const struct flow_ranges *code, uint64_t offset);
bool flow_has(const struct flow_offsets *all, uint64_t offset);
int flow_by_offset(const void *a, const void *b); /* for array_sort() of offsets */
void flow_add_all(struct flow_offsets *to, const struct flow_offsets *what);
void flow_add_ranges(struct flow_ranges *to, const struct flow_ranges *what);

/* The instruction at an address of the module, and what it does. False: there is none that is known. */
bool flow_decode(struct module *m, uint64_t at, struct arch_insn *in, struct arch_deed *deed);
bool flow_is_insn(const struct flow *f, uint64_t offset); /* does an instruction begin here? */
/* Is there an unconditional jump? */
bool flow_is_jump(const struct flow *f, uint64_t offset);
/* Is there a conditional one? *next: what stands behind it. */
bool flow_is_branch(const struct flow *f, uint64_t offset, uint64_t *next);
/* Does a conditional jump between the two lead to `to`? */
bool flow_branches_to(const struct flow *f, uint64_t from, uint64_t to);
size_t flow_calls(const struct flow *f, uint64_t from,
		  uint64_t to);		   /* how many stand between the two */
bool flow_has_table(const struct flow *f); /* an indirect jump that may be one of a jump table */
/* Was all of it decoded, and does each jump in it lead to an instruction that was seen? Else there is data among the
   code, or a jump that leaves out a prefix, and what was seen is not all that there is. */
bool flow_is_whole(const struct flow *f);
/* Does the instruction before it go on to it? */
bool flow_falls_into(const struct flow *f, uint64_t offset);
/* Does a jump lead to it, and a block that does not end in a jump? Then what stands between the two
   without an instruction may belong to the one or to the other. (A block of its own between a
   branch and a label would be empty: compilers leave none.) True where no instruction begins. */
bool flow_is_join(const struct flow *f, uint64_t offset);
bool flow_is_jumped_to(const struct flow *f, uint64_t offset); /* also by an exception */
/* The direct jumps that lead there; appends to out. */
void flow_jumps_to(const struct flow *f, uint64_t offset, struct flow_offsets *out);

/*
 * One copy of a statement is given as `starts` (first addresses of its blocks, each an instruction)
 * and `code` (all of it, nested calls' inlined bodies not included). Removes those of `starts`
 * that need no trap, but not the only one:
 *  - a start that is dominated by another start A of the same copy and lies on no cycle that avoids
 *    A: reaching it is going on with the execution that was counted at A (two rows of a multi-line
 *    statement, both arms of ?: ); the increment of a for loop lies on such a cycle and stays;
 *    But not where both begin at the same column, which is not 0, and make as many calls as any of
 *    them: they are copies of the whole statement, of an unrolled loop (`columns` may be NULL: no two are copies);
 *    `marks`: starts of one column are always executions of their own, and none is dropped;
 *  - a block whose every way out goes straight to the beginning of another start's block (the jump
 *    to the condition of a while loop): that one counts for it;
 *  - a start that is entered only from inside the statement's own ranges.
 * A call that has a landing pad may go on there. Code that is reached by no known way (jump tables) counts as entered
 * from outside.
 */
void flow_statement_starts(const struct flow *f, struct flow_offsets *starts,
			   const unsigned *columns, bool marks, const struct flow_ranges *code);

/* Does control that is at `from` come to `to`, whatever happens, without a call before? The code that it passes is added to
   `passed`. */
bool flow_leads_on(const struct flow *f, uint64_t from, uint64_t to, struct flow_ranges *passed);
/* Heads of loops in the ranges that other code of the function jumps back to; appends to out. */
void flow_heads(const struct flow *f, const struct flow_ranges *code, struct flow_offsets *out);
/* Blocks in the ranges that only other code of the function leads to, and that lead back to the head of their loop: there a round
   of it ends. Appends to out. */
void flow_round_ends(const struct flow *f, const struct flow_ranges *code,
		     struct flow_offsets *out);
/*
 * Does control that is at `from`, in the ranges, pass one of `all` before it is there again or the function ends? Or can
 * it leave the ranges without that, or turn in a loop inside of them?
 */
enum flow_passing { FLOW_PASSES, FLOW_SKIPS, FLOW_TURNS };
enum flow_passing flow_passing(const struct flow *f, const struct flow_ranges *code, uint64_t from,
			       const struct flow_offsets *all);
/* Can control that is at `from`, none of `all`, come there again without passing one of them? */
bool flow_comes_again(const struct flow *f, uint64_t from, const struct flow_offsets *all);
/* Can control that is at `from` come to `to`? True where that is not known. */
bool flow_leads(const struct flow *f, uint64_t from, uint64_t to);
/* ... when it has passed one of `others`? */
bool flow_comes_by(const struct flow *f, uint64_t from, const struct flow_offsets *others,
		   const struct flow_offsets *all);
/* Can control that is at `from` turn in a loop in the ranges without passing one of `all`? */
bool flow_turns(const struct flow *f, const struct flow_ranges *code, uint64_t from,
		const struct flow_offsets *all);
/* Can control that passes one of `all` pass another one before it leaves the ranges? */
bool flow_passes_two(const struct flow *f, const struct flow_ranges *code,
		     const struct flow_offsets *all);

/*
 * Where control comes into the ranges, an inlined call's, from other code of the function, so that each time it does is one;
 * where it is the head of a loop inside, that is at what leads there. `entry`, as the debug information says, is one if it
 * is not known how control comes there (the function's own beginning, a jump table). `marks`, if not NULL: no others but
 * these, and `entry`. `own`: where the statement's own code begins; a loop's round that passes one of them is another call.
 * Appends to out, each once.
 */
void flow_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
		  const struct flow_offsets *marks, const struct flow_offsets *own,
		  struct flow_offsets *out);
/* All of the places where it comes in, also twice in one time. */
void flow_all_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
		      struct flow_offsets *out);
/* Is nothing called or decided in the range? */
bool flow_only_computes(const struct flow *f, const struct module_range *range);
/* Does the instruction at `one` stand behind an unconditional jump in the ranges (at *jump), and does other code of the
   function jump to it? */
bool flow_behind_jump(const struct flow *f, const struct flow_ranges *code, uint64_t one,
		      uint64_t *jump);
/*
 * Does control come from other code of the function to `one`, in the middle of the ranges, where it has come in at none of
 * `starts` before? Where nobody inside leads there that is at `one`; else (it is the head of a loop) at the
 * jumps that lead in, some of them only if they are taken. Appends to out.
 */
struct flow_way {
	uint64_t offset;
	bool if_taken;
	uint64_t to; /* where it leads; `offset` if control is there already */
};
struct flow_ways {
	struct flow_way *items;
	size_t count, capacity;
};
void flow_ways_in(const struct flow *f, const struct flow_ranges *code,
		  const struct flow_offsets *starts, uint64_t one, struct flow_ways *out);
/* The same of an inlined copy of a function, whatever there is of it, by their first addresses; `known`: it is certain that it
   is entered at `entry`, and all others that do not go on from there are told. */
void flow_copy_entries(const struct flow *f, const struct flow_ranges *code, uint64_t entry,
		       bool known, struct flow_offsets *out);
/*
 * Is `one` the head of a loop in the ranges, and who leads to it from elsewhere: from outside of them, or from what they begin with? A
 * jump, if it goes there (`if_taken`), or the instruction before it; in `out`, which is empty before. False: it is none, or somebody does
 * whom nobody can stop there.
 */
bool flow_ways_to_loop(const struct flow *f, const struct flow_ranges *code, uint64_t one,
		       struct flow_ways *out);
/* Where control leaves the ranges: addresses outside of them that are reached by falling through or
   by a direct jump, and the return and tail-jump instructions inside them. Calls come back and do
   not leave. Appends to out, sorted, each once. */
void flow_exits(const struct flow *f, const struct flow_ranges *code, struct flow_offsets *out);

/*
 * Does control come into the ranges at `starts` alone, pass one of them, and come to each of their `exits` (flow_exits())
 * from the ranges alone? Then whoever passes an exit has gone through them once, from the beginning. False where that cannot be told: by a jump
 * table, landing pads, calls that may come back again.
 */
bool flow_is_closed(const struct flow *f, const struct flow_ranges *code,
		    const struct flow_offsets *starts, const struct flow_offsets *exits);

/* The beginning of the block that runs on to `to` without a jump or a call, if control comes to that
   block from the ranges alone; else `to`. */
uint64_t flow_led_to(const struct flow *f, const struct flow_ranges *code, uint64_t to);

/* Where the function returns: its return instructions, direct jumps out of it, and indirect jumps,
   that may be a jump table or a tail call (check_target). A conditional jump out of it is one only
   when it is taken: check_target too, arch_jump_target() knows. */
struct flow_return {
	uint64_t offset;
	bool tail, check_target;
};
struct flow_returns {
	struct flow_return *items;
	size_t count, capacity;
};
void flow_returns(const struct flow *f, struct flow_returns *out);

/*
 * Is `to` reached from `from` in a straight line: no call, jump or return between, and no jump from
 * elsewhere to anything in (from, to]? Then each call of the function that begins at `from` passes
 * `to` once: the end of its prologue may be there.
 */
bool flow_is_straight(const struct flow *f, uint64_t from, uint64_t to);
/* The same but for calls, of which there is at least one. */
bool flow_only_calls(const struct flow *f, uint64_t from, uint64_t to);

/* flow_cache.c: the flow of the function with this code; valid until flows_trim(). */
struct flow *flow_for(struct module *m, const struct flow_ranges *code);
void flows_trim(struct modules *s); /* what is resolved has come to its end */

/* The entry of the global offset table that says where the call or jump at the address leads: itself, or the stub that it
   leads to; 0: none. */
uint64_t call_slot(struct module *m, uint64_t address, const struct arch_insn *call);

/* ---- accesses.c: instructions that may touch memory that threads share: where a search for races looks ----- */

struct source_access {
	uint64_t offset;
	unsigned own; /* for arch_accesses() */
	struct arch_shared what;
};

/*
 * All that read or write shared memory, and PAUSE, each once, in ascending order of each function. A place of the
 * frame is shared if its variable's address is taken in the function (frame_variables.c). Left out are those that only read what never changes
 * once the program runs (constants, the global offset table). `described`: of functions that have line
 * numbers; else of all code.
 *
 * Where functions begin and end is told by the call frame information alone, which there is for each function
 * that a compiler makes: no symbol needs to be there, and no data is taken for code. False: there is
 * nothing that tells.
 */
bool source_accesses(struct module *m, bool described,
		     void (*each)(void *ctx, const struct source_access *a), void *ctx);

#endif
