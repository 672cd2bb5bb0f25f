/* One copy of a line while it is placed: resolve_starts.c and resolve_coroutine.c say where it begins, resolve_copy.c which code
   it is. */
#ifndef GATECTL_SOURCE_COPIES_RESOLVE_COPY_H
#define GATECTL_SOURCE_COPIES_RESOLVE_COPY_H

#include "tracer/source/lines/resolve.h"

struct copy_work {
	struct resolver *r;
	struct line_copy *c;
	const char *file;
	unsigned line;
	struct scope_ref outer; /* the function that has the code; scope NULL unknown */
	ARRAY(struct module_range) function; /* its ranges */
	struct flow *flow;
	bool has_code, code_elsewhere; /* the line's: in this copy, in another one */
	bool marked;		       /* its starts are marks: g++ has none in templates */
	bool unrolled; /* some of its starts are in the middle of a row, each a round of a loop */
	ARRAY(uint64_t) starts;
	struct flow_ways ways; /* more of them: into the middle of its code */
	ARRAY(struct module_range)
	own, all; /* without and with what was inlined and lies between */
	size_t kept;
};

/* Fills `starts`, and `ways`, with those that need a trap; `function`, `flow` and `own` are known. 0, or -1 with the error. */
int copy_starts(struct copy_work *w);
/* resolve_rounds.c: where rounds of a loop end whose head is on the line, at no statement row; appends to out. */
void copy_round_ends(const struct copy_work *w, struct flow_offsets *out);
/* Does the text say that there is no loop around the line, nor around the calls of the functions that it was inlined with? */
bool copy_has_no_loop(const struct copy_work *w);
/* resolve_leads.c: takes those of `starts`, sorted, away that only lead to another one of them. 0, or -1 with the error. */
int copy_drop_leads(struct copy_work *w);
/* flow_passing() of the statement, whose code is in `body`; where statements are marked, control that has passed the mark
   of another one is no more in it. 0, or -1 with the error. */
int copy_passing(const struct copy_work *w, const struct flow_ranges *body, uint64_t from,
		 const struct flow_offsets *own, enum flow_passing *out);
/* resolve_early.c: moves `starts` before what the statement does before its mark. */
void copy_before_deeds(struct copy_work *w);
/* resolve_unrolled.c: appends to `starts` where more rounds begin, in rows of clang's that are several. */
void copy_split_rounds(struct copy_work *w);
/* resolve_calls.c: fills `ways` where the line is nothing but a call that is a loop. 0, or -1 with the error. */
int copy_loop_ways(struct copy_work *w);
/* Where an inlined call of the line is entered. Of one in several pieces that is not known (UINT64_MAX) if the debug information
   does not say it (clang's), and then is where control comes in: from other code, or as the function around it is entered. */
uint64_t copy_call_entry(const struct copy_work *w, struct scope *call);
/* Where control comes into an inlined call, but for what the compiler has moved out of a loop of the call's caller; nothing is
   added where there is no such code. 0, or -1 with the error. */
int copy_begun_entries(const struct copy_work *w, const struct scope *call, uint64_t entry,
		       struct flow_offsets *out);
/* The column of the last row up to there, 0 unknown. */
unsigned copy_column_at(const struct copy_work *w, uint64_t offset);
/* resolve_unoptimised.c, without optimisation: where the line is the first of a condition over several, and its own code begins too often or not
   always, these are the whole statement's, and so is `own`; at another line they are its operand's.
   Of a loop's header over several the first line is what is done once. 0, or -1 with the error. */
int copy_unoptimised(struct copy_work *w);

/* resolve_coroutine.c: is it the body of a coroutine of g++'s? */
bool coroutine_is_resumed(const struct copy_work *w);
/* Takes those away, sorted, of `starts` at which nothing of the line begins. 0, or -1 with the error. */
int coroutine_drop_starts(struct copy_work *w);

#endif
