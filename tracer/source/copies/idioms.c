/* Tables of compilers' habits: where a copy of a line begins, so that each execution is one arrival
   (README.md). A row that would drop all starts drops none. */
#include "tracer/source/copies/copy.h"

struct idiom {
	unsigned needs, lacks; /* enum copy_fact */
	void (*moves)(struct copy_work *w);
	bool (*drops)(const struct copy_work *w, uint64_t start);
};

/* Possible starts of the line's own code. */
static const struct idiom beginning[] = {
	{.moves = starts_at_rows},
	{COPY_CLANG | COPY_FLOW, 0, .moves = starts_behind_operators},
	{COPY_CLANG | COPY_FLOW | COPY_CODE, 0, .moves = starts_at_heads},
	{COPY_CLANG | COPY_FLOW | COPY_CODE, 0, .moves = starts_at_round_ends},
	{COPY_CLANG | COPY_FLOW, 0, .moves = starts_behind_else},
};

/* Starts that are no execution, or part of one that is counted. */
static const struct idiom counting[] = {
	{COPY_CLANG | COPY_FLOW, COPY_MARKED, .drops = is_inner_jump},
	{COPY_MARKED | COPY_FLOW, 0, .drops = is_macro_end},
	{COPY_FLOW, 0, .moves = keep_executions},
	{COPY_MARKED | COPY_FLOW | COPY_OUTER, 0, .drops = is_lead},
	{COPY_PLAIN | COPY_FLOW | COPY_OUTER, 0, .drops = is_resumed},
	{COPY_CLANG | COPY_FLOW | COPY_OUTER, 0, .drops = is_copying_arguments},
};

/* Executions without a row. */
static const struct idiom adding[] = {
	{COPY_CLANG | COPY_FLOW | COPY_CODE, COPY_CALLS, .moves = starts_of_rounds},
	{COPY_GCC | COPY_FLOW | COPY_OUTER, 0, .moves = starts_in_middle},
};

/* Rules that depend on the lines around the line. */
static const struct idiom settling[] = {
	{COPY_PLAIN | COPY_ALONE, COPY_MARKED | COPY_CALLS, .drops = is_captured},
	{COPY_ALONE, COPY_MARKED | COPY_CALLS, .drops = is_jump_of_for},
	{COPY_PLAIN | COPY_ALONE, COPY_MARKED | COPY_CALLS, .moves = starts_of_condition},
	{COPY_MARKED | COPY_FLOW, COPY_UNROLLED, .moves = starts_before_deeds},
};

static void drop_starts(struct copy_work *w, bool (*drops)(const struct copy_work *, uint64_t))
{
	struct flow_offsets left = {0};

	for (size_t i = 0; w->starts.count > 1 && i < w->starts.count; i++)
		if (!drops(w, w->starts.items[i]))
			*array_add(&left) = w->starts.items[i];
	if (left.count) {
		array_fini(&w->starts);
		w->starts = left;
	}
}

static void apply(struct copy_work *w, const struct idiom *rows, size_t count)
{
	for (const struct idiom *row = rows; row < rows + count; row++) {
		if ((w->facts & row->needs) != row->needs || w->facts & row->lacks)
			continue;
		if (row->moves)
			row->moves(w);
		else
			drop_starts(w, row->drops);
	}
}

#define APPLY(w, table) apply(w, table, sizeof(table) / sizeof(*(table)))

/* ---- with and without inlined calls --------------------------------------------------------- */

/* Appends the markers of other statements in the function, outside of the statement's code. */
static void other_marks(const struct copy_work *w, const struct flow_ranges *body,
			struct flow_offsets *out)
{
	array_each(const struct module_range, piece, &w->function) {
		size_t count;
		const struct line_row *rows = rows_in(w->lines, piece, &count);

		for (size_t i = 0; i < count; i++)
			if (rows[i].is_stmt && rows[i].line &&
			    (rows[i].line != w->line ||
			     !function_same_file(lines_file(w->lines, rows[i].file), w->file)) &&
			    !flow_in_ranges(body, rows[i].offset))
				*array_add(out) = rows[i].offset;
	}
}

/* Returns flow_passing() of the statement, whose code is `body`. With markers, control that passes
   one of another statement has left it. */
static enum flow_passing passing_from(const struct copy_work *w, const struct flow_ranges *body,
				      uint64_t from, const struct flow_offsets *own)
{
	enum flow_passing how = flow_passing(w->flow, body, from, own);
	struct flow_offsets others = {0}, all = {0};

	if (!(w->facts & COPY_MARKED) || !(w->facts & COPY_OUTER))
		return how;
	if (w->lines)
		other_marks(w, body, &others);
	flow_add_all(&all, &others);
	flow_add_all(&all, own);
	if (how == FLOW_TURNS && !flow_turns(w->flow, body, from, &all))
		how = FLOW_PASSES;
	if (how == FLOW_PASSES && flow_comes_by(w->flow, from, &others, own))
		how = FLOW_SKIPS;
	array_fini(&others);
	array_fini(&all);
	return how;
}

/* True if the line's own code alone gives better starts: if an inlined call begins with a loop, or
   if it has fewer starts and no execution passes none of them. */
static bool own_is_better(const struct copy_work *w, const struct flow_offsets *own)
{
	bool skips = false, turns = false;
	struct flow_ranges body = {0};

	flow_add_ranges(&body, &w->own);
	array_each(struct scope *, call, &w->c->calls) {
		const struct flow_ranges code = copy_call(w, *call);

		flow_add_ranges(&body, &code);
	}
	for (size_t i = 0; w->flow && i < w->starts.count; i++) {
		enum flow_passing how = passing_from(w, &body, w->starts.items[i], own);

		turns = turns || how == FLOW_TURNS;
		skips = skips || how == FLOW_SKIPS;
	}
	array_fini(&body);
	return turns || (!skips && w->starts.count > own->count);
}

static void count_starts(struct copy_work *w)
{
	array_sort(&w->starts, flow_by_offset);
	APPLY(w, counting);
}

/*
 * Chooses the starts. With the entries of inlined calls a statement begins before its calls. If
 * these do not lead to all of its own code (parts are duplicated), one execution would count twice,
 * and its own code alone is used.
 */
static void choose_starts(struct copy_work *w)
{
	struct flow_offsets own = {0};

	APPLY(w, beginning);
	flow_add_all(&own, &w->starts);
	count_starts(w);
	if (w->facts & COPY_CALLS) {
		struct flow_offsets all = own;

		own = w->starts;
		w->starts = all;
		starts_of_calls(w, &own);
		count_starts(w);
		if (own.count && own_is_better(w, &own)) {
			all = w->starts;
			w->starts = own;
			own = all;
		}
	}
	array_fini(&own);
}

void copy_starts(struct copy_work *w)
{
	ways_into_loop(w);
	if (w->ways.count)
		return;
	choose_starts(w);
	APPLY(w, adding);
}

void copy_settle(struct copy_work *w)
{
	if (w->starts.count)
		APPLY(w, settling);
}
