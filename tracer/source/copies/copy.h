/* One copy of a line: its code in one function or in one inlined copy. copies.c collects the
   copies, place.c makes sites of one, idioms.c decides where it begins (README.md). */
#ifndef GATECTL_SOURCE_COPIES_COPY_H
#define GATECTL_SOURCE_COPIES_COPY_H

#include "tracer/source/lines/resolve.h"

/* Rows at the address of a statement row without code: none that matter, code of a later line
   without a marker (the function's end), or a statement of another line. */
enum row_followed { ROW_LAST, ROW_BEFORE_CODE, ROW_BEFORE_STATEMENT };

/* Adjacent rows of one line in one copy. */
struct block {
	uint64_t start, low, high; /* low == high if the block has no code */
	unsigned column;	   /* of the row at `start`; 0 if unknown */
	unsigned order;		   /* number of rows before it at the same address */
	bool stmt;
	bool repeated; /* the statement row before it has the same line and column */
	/* the line is one call or macro, and the statement row before its inlined calls has
	   the same line and column */
	bool ends_macro;
	enum row_followed followed;
};

struct line_copy {
	struct module *module;
	struct scope_ref owner; /* scope is NULL if the function is unknown */
	uint64_t symbol;	/* without a scope: offset of the symbol or sequence */
	bool all_stmt;		/* each row of another line has is_stmt */
	bool markers;		/* one statement row for each execution (optimising gcc) */
	ARRAY(struct block) blocks;
	ARRAY(struct line_row) inner; /* further rows of the blocks */
	struct flow_ranges lineless;  /* code of line 0 in the blocks */
	ARRAY(struct scope *) calls;  /* inlined copies that this line calls, in owner.unit */
};

struct line_copies {
	ARRAY(struct line_copy) items;
};

/* Facts on a copy that idioms depend on. */
enum copy_fact {
	COPY_GCC = 1 << 0, /* compiled by gcc; without COPY_GCC and COPY_CLANG unknown */
	COPY_CLANG = 1 << 1,
	COPY_PLAIN = 1 << 2,	 /* gcc, each row begins a statement: -O0, -g1 */
	COPY_OUTER = 1 << 3,	 /* the function has debug information */
	COPY_FLOW = 1 << 4,	 /* the flow of the function is known */
	COPY_CODE = 1 << 5,	 /* the line has code in this copy */
	COPY_ELSEWHERE = 1 << 6, /* the line has code in another copy */
	COPY_CALLS = 1 << 7,	 /* the line calls inlined functions */
	COPY_ALONE = 1 << 8,	 /* the code is the function's own, in one range */
	COPY_MARKED = 1 << 9,	 /* the starts are markers; g++ has none in templates */
	COPY_UNROLLED = 1 << 10, /* some starts are inside a row, each an iteration of a loop */
};

/* A copy while its sites are determined. */
struct copy_work {
	struct resolver *r;
	struct line_copy *c;
	const char *file;
	unsigned line, facts;		/* facts: enum copy_fact */
	const struct source_file *text; /* source text; NULL if it cannot be read */
	struct die_table *dies;
	struct scope_ref outer;	     /* function that has the code; scope is NULL if unknown */
	struct function around;	     /* `outer` as a function */
	struct line_unit *lines;     /* line program of `outer`; NULL if unknown */
	struct flow_ranges function; /* code of `outer` */
	struct flow *flow;	     /* NULL if unknown */
	struct flow_offsets starts;  /* sorted once they are chosen */
	struct flow_ways ways;	     /* further starts, in the middle of the line's code */
	struct flow_ranges own, all; /* own: without inlined code; all: with it and code between */
};

/* Sets `starts` and `ways` to those that need a breakpoint. All other members
   except `all` are set. */
void copy_starts(struct copy_work *w);
/* Applies the rules that need the line's other lines, after copy_starts(). */
void copy_settle(struct copy_work *w);
/* Adds a start, unless it is one already or inside an instruction. */
void copy_add_start(struct copy_work *w, uint64_t offset);
/* Appends the sites of one copy. `code_elsewhere`: another copy has code of the line. */
void copy_sites(struct resolver *r, struct line_copy *c, const char *file, unsigned line,
		bool code_elsewhere, struct source_sites *out);
/* True if a block of the copy has code. */
bool copy_has_code(const struct line_copy *c);
/* Empties copies that are no executions of the line: lambdas in a statement, and destructors that
   call another version. Returns the name of such a lambda, as a location has it, or NULL. Owned by
   the module. */
const char *copies_drop(struct resolver *r, const char *path, unsigned line,
			struct line_copies *copies);
/* Returns the column of the last row up to the offset, or 0 if unknown. */
unsigned copy_column_at(const struct copy_work *w, uint64_t offset);
/* Returns the column of the block that begins at the start; 0 if unknown or
   at the end of a macro. */
unsigned copy_column_of(const struct copy_work *w, uint64_t start);
/* True if the source text has no loop around the line, nor around the calls that inlined it. */
bool copy_has_no_loop(const struct copy_work *w);
/* Returns the code of an inlined call of the line, owned by its unit. */
struct flow_ranges copy_call(const struct copy_work *w, const struct scope *call);

/* ---- rows.c: rows of the line table ---------------------------------------------------------- */

/* True if both rows have the same line and column. */
bool row_is_same(const struct line_row *a, const struct line_row *b);
/* Returns the number of rows between `first` and `row` at the address of `row`. */
unsigned row_order(const struct line_row *first, const struct line_row *row);
/* Returns what comes after a statement row without code. */
enum row_followed row_followed(const struct line_row *row);
/* True if the statement row before this one has the same line and column. */
bool row_is_repeated(const struct line_row *first, const struct line_row *row);
/* Returns the first row in the range, and their number in *count. */
const struct line_row *rows_in(const struct line_unit *l, const struct module_range *range,
			       size_t *count);
/* True if the line's text is one call or macro, followed by a semicolon. */
bool is_one_call(struct resolver *r, const char *path, unsigned line);

/* Context of row_ends_macro(). */
struct row_place {
	struct resolver *r;
	const struct line_copy *copy;
	const struct file_use *use;
	const char *path;
};
/* True if the copy's own statement row before this row and before inlined calls has the same line
   and column. Arguments of a macro with several statements may contain inlined calls. */
bool row_ends_macro(const struct row_place *p, const struct line_row *first,
		    const struct line_row *row);
/* For a marker without code, the last one before code that jumps lead to: true if a jump comes from
   a `return` on another line and so passes the marker by. */
bool mark_is_passed_by(const struct copy_work *w, const struct block *b);
/* True if gcc lost the markers of the enclosing function, in a unit that has them. */
bool marks_are_lost(const struct line_unit *l, struct scope_ref owner);

/* ---- idioms: functions that add, move or drop starts ----------------------------------------- */

/* Sets `ways` if the line is nothing but an inlined call that begins with a loop. idioms_calls.c */
void ways_into_loop(struct copy_work *w);
/* Adds the entries of the line's inlined calls. `own`: starts without them. */
void starts_of_calls(struct copy_work *w, const struct flow_offsets *own);
/* Returns the number, from 1, of the line's inlined call of which another iteration
   begins at the start, or 0. */
unsigned call_begun_again(const struct copy_work *w, uint64_t start);
/* True if the offset is in an inlined call of the line. */
bool copy_is_in_calls(const struct copy_work *w, uint64_t offset);

/* ---- idioms_rows.c --------------------------------------------------------------------------- */

/* Adds the blocks that begin with a statement row. */
void starts_at_rows(struct copy_work *w);
/* Moves starts from a jump over an operand to the operand (clang). */
void starts_behind_operators(struct copy_work *w);
/* Adds heads of loops in the line's code (clang). */
void starts_at_heads(struct copy_work *w);
/* Adds the increment of a `for` loop after code of no line (clang). */
void starts_at_round_ends(struct copy_work *w);
/* Adds the condition of an `else if` after the jump at the end of the branch before (clang). */
void starts_behind_else(struct copy_work *w);
/* Adds paths into the middle of the line's code, such as to a loop's condition (gcc). */
void starts_in_middle(struct copy_work *w);
/* Moves starts to code of the statement before its marker (gcc). */
void starts_before_deeds(struct copy_work *w);
/* True for the jump at the end of an inner loop (clang). */
bool is_inner_jump(const struct copy_work *w, uint64_t start);
/* True for a further statement of a macro. */
bool is_macro_end(const struct copy_work *w, uint64_t start);
/* True for a loop's keyword or initialisation before its condition (gcc). */
bool is_lead(const struct copy_work *w, uint64_t start);

/* Drops the starts that continue a statement, by control flow. idioms_parts.c */
void keep_executions(struct copy_work *w);

/* Adds starts for the iterations of an unrolled loop with one row (clang). idioms_unrolled.c */
void starts_of_rounds(struct copy_work *w);

/* ---- idioms_coroutine.c ---------------------------------------------------------------------- */

/* True for the second half of a co_await (g++). */
bool is_resumed(const struct copy_work *w, uint64_t start);
/* True for code that copies a coroutine's arguments or precedes the jump to the point
   of resumption (clang). */
bool is_copying_arguments(const struct copy_work *w, uint64_t start);
/* True if the function is the body of a coroutine (g++). */
bool coroutine_is_actor(const struct copy_work *w);

/* ---- idioms_plain.c: code without optimisation ----------------------------------------------- */

/* True for a later use of a captured variable in a lambda (g++). */
bool is_captured(const struct copy_work *w, uint64_t start);
/* True for the jumps of a `for` whose header is on several lines. */
bool is_jump_of_for(const struct copy_work *w, uint64_t start);
/* Sets the starts of a line of a condition on several lines (gcc). */
void starts_of_condition(struct copy_work *w);

#endif
