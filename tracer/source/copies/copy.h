/*
 * One copy of a line: the code of it in one function, or in one inlined copy of a function. copies.c gathers the copies, place.c
 * makes sites of one; idioms.c decides where it begins, by a table whose rows are the functions below.
 */
#ifndef GATECTL_SOURCE_COPIES_COPY_H
#define GATECTL_SOURCE_COPIES_COPY_H

#include "tracer/source/lines/resolve.h"

/* What comes behind a statement row without code at its address: nothing that matters, code of a later line that has no mark (the function's
   end), another line's statement. */
enum row_followed { ROW_LAST, ROW_BEFORE_CODE, ROW_BEFORE_STATEMENT };

/* A run of rows of one line in one copy. */
struct block {
	uint64_t start, low, high; /* low == high: no code of its own */
	unsigned column;	   /* of the row at `start`; 0 unknown */
	unsigned order;		   /* rows at the same address that come before it */
	bool stmt;
	bool repeated; /* the statement row before it is at the same line and column */
	bool ends_macro; /* so is the one before the inlined calls before it, in a line that is one call or macro */
	enum row_followed followed;
};

struct line_copy {
	struct module *module;
	struct scope_ref owner; /* scope NULL: no function is known */
	uint64_t symbol;	/* then: where the symbol or sequence begins */
	bool all_stmt;		/* each row of another place is said to begin a statement */
	bool markers;		/* it has one statement row for each execution (gcc, optimised) */
	ARRAY(struct block) blocks;
	ARRAY(struct line_row) inner; /* further rows of its blocks */
	struct flow_ranges lineless;  /* code of no line in its blocks */
	ARRAY(struct scope *) calls;  /* inlined copies that this line calls, in owner.unit */
};

struct line_copies {
	ARRAY(struct line_copy) items;
};

/* What an idiom may ask for. */
enum copy_fact {
	COPY_GCC = 1 << 0, /* who compiled it; neither: unknown */
	COPY_CLANG = 1 << 1,
	COPY_PLAIN = 1 << 2, /* gcc's, and every row begins a statement: -O0, -g1 */
	COPY_OUTER = 1 << 3, /* the debug information knows its function */
	COPY_FLOW = 1 << 4,
	COPY_CODE = 1 << 5,	 /* the line has code in this copy, */
	COPY_ELSEWHERE = 1 << 6, /* in another one */
	COPY_CALLS = 1 << 7,	 /* it calls functions that were inlined */
	COPY_ALONE = 1 << 8,  /* it is the function's own, which has one piece and is not a copy */
	COPY_MARKED = 1 << 9, /* its starts are marks: g++ has none in templates */
	COPY_UNROLLED =
		1 << 10, /* some of its starts are in the middle of a row, each a round of a loop */
};

/* One copy while it is placed. */
struct copy_work {
	struct resolver *r;
	struct line_copy *c;
	const char *file;
	unsigned line, facts;		/* enum copy_fact */
	const struct source_file *text; /* NULL: it is not there */
	struct die_table *dies;
	struct scope_ref outer;	     /* the function that has the code; scope NULL unknown */
	struct function around;	     /* what that is */
	struct line_unit *lines;     /* of its unit; NULL unknown */
	struct flow_ranges function; /* its code */
	struct flow *flow;	     /* NULL unknown */
	struct flow_offsets starts;  /* sorted once they are chosen */
	struct flow_ways ways;	     /* more of them: into the middle of its code */
	struct flow_ranges own, all; /* without and with what was inlined and lies between */
};

/* Fills `starts` and `ways`, with those that need a trap; all else but `all` is known. */
void copy_starts(struct copy_work *w);
/* The same of a whole copy: rules that need the line's other lines come last. */
void copy_settle(struct copy_work *w);
void copy_add_start(struct copy_work *w, uint64_t offset);
void copy_sites(struct resolver *r, struct line_copy *c, const char *file, unsigned line,
		bool code_elsewhere, struct source_sites *out);
bool copy_has_code(const struct line_copy *c);
/* drop.c: empties copies that are none: of lambdas, whose statement is around them, and of destructors that pass on. */
void copies_drop(struct resolver *r, const char *path, unsigned line, struct line_copies *copies);
/* The column of the last row up to there, 0 unknown. */
unsigned copy_column_at(const struct copy_work *w, uint64_t offset);
/* Of the block that begins there; 0 unknown, or it ends a macro. */
unsigned copy_column_of(const struct copy_work *w, uint64_t start);
/* Does the text say that there is no loop around the line, nor around the calls of the functions that it was inlined with? */
bool copy_has_no_loop(const struct copy_work *w);
/* The code of an inlined call of the line. */
struct flow_ranges copy_call(const struct copy_work *w, const struct scope *call);

/* ---- rows of the line table: rows.c -------------------------------------------------------------- */

/* Are they at the same line and column? */
bool row_is_same(const struct line_row *a, const struct line_row *b);
/* How many rows of the sequence, from `first` on, stand before this one at its address. */
unsigned row_order(const struct line_row *first, const struct line_row *row);
enum row_followed row_followed(const struct line_row *row);
/* Is the statement row before this one at the same line and column? */
bool row_is_repeated(const struct line_row *first, const struct line_row *row);
/* The first row in the range, and how many there are. */
const struct line_row *rows_in(const struct line_unit *l, const struct module_range *range,
			       size_t *count);
/* Is the text of the line one call, or use of a macro, and a semicolon? */
bool is_one_call(struct resolver *r, const char *path, unsigned line);

struct row_place {
	struct resolver *r;
	const struct line_copy *copy;
	const struct file_use *use;
	const char *path;
};
/* Is the row at the line and column of the copy's own statement row before it, behind inlined calls? A macro of several
   statements may have those in its arguments. */
bool row_ends_macro(const struct row_place *p, const struct line_row *first,
		    const struct line_row *row);
/* The mark of the block has no code of its own and is the last one before code that others jump to: do some of them come
   from a `return` on another line, and so pass it by? */
bool mark_is_passed_by(const struct copy_work *w, const struct block *b);
/* Has gcc lost the marks of the function around it, in a unit that has them? */
bool marks_are_lost(const struct line_unit *l, struct scope_ref owner);

/* ---- idioms: functions that move or add starts, and those that say of one that it is no execution ----- */

/* idioms_calls.c: fills `ways` where the line is nothing but a call that is a loop. */
void ways_into_loop(struct copy_work *w);
/* Starts where the inlined calls of the line are entered. `own`: without them. */
void starts_of_calls(struct copy_work *w, const struct flow_offsets *own);
/* Does a call of the line begin there once more? Its number from 1 on, or 0. */
unsigned call_begun_again(const struct copy_work *w, uint64_t start);
bool copy_is_in_calls(const struct copy_work *w, uint64_t offset);

/* idioms_rows.c */
void starts_at_rows(struct copy_work *w);
void starts_behind_operators(struct copy_work *w);
void starts_at_heads(struct copy_work *w);
void starts_at_round_ends(struct copy_work *w);
void starts_behind_else(struct copy_work *w);
void starts_in_middle(struct copy_work *w);
void starts_before_deeds(struct copy_work *w);
bool is_inner_jump(const struct copy_work *w, uint64_t start);
bool is_macro_end(const struct copy_work *w, uint64_t start);
bool is_lead(const struct copy_work *w, uint64_t start);

/* idioms_parts.c: starts that go on with a statement, by control flow. */
void keep_executions(struct copy_work *w);

/* idioms_unrolled.c */
void starts_of_rounds(struct copy_work *w);

/* idioms_coroutine.c */
bool is_resumed(const struct copy_work *w, uint64_t start);
bool is_copying_arguments(const struct copy_work *w, uint64_t start);
bool coroutine_is_actor(const struct copy_work *w);

/* idioms_plain.c: without optimisation */
bool is_captured(const struct copy_work *w, uint64_t start);
bool is_jump_of_for(const struct copy_work *w, uint64_t start);
void starts_of_condition(struct copy_work *w);

#endif
