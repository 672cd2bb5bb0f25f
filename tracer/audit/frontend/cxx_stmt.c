/* C++: statements, and the rules of the language as a whole. */
#include "tracer/audit/frontend/cxx.h"

/* ---- conditions with declarations ------------------------------------------------------------ */

static bool is_declaration(const struct audit_reader *r, CXCursor c)
{
	const enum CXCursorKind kind = cursor_kind(r, c);

	return kind == CXCursor_VarDecl || kind == CXCursor_DeclStmt;
}

static void lower_declaration(struct lower *l, CXCursor c)
{
	if (cursor_kind(l->reader, c) == CXCursor_DeclStmt)
		lower_statement(l, c);
	else
		(void)cxx_variable(l, c);
}

/* if (T x = f(); condition), if (T x = f()): the variables live until the end of the statement. */
static bool scoped(struct lower *l, CXCursor c, const struct cursors *parts)
{
	const size_t outside = lower_scope(l);
	struct cursors without = *parts;

	if (!parts->count || !is_declaration(l->reader, parts->items[0]))
		return false;
	while (without.count && is_declaration(l->reader, without.items[0])) {
		lower_declaration(l, without.items[0]);
		without.items++;
		without.count--;
	}
	lower_kind(l, c, &without);
	lower_end_scope(l, outside, c);
	return true;
}

/* One round of `while (T x = f())`. */
static void while_round(struct lower *l, void *data)
{
	const struct cursors *parts = data;
	const size_t outside = lower_scope(l);
	const unsigned yes = lower_block_new(l);
	size_t i = 0;

	for (; i < parts->count && is_declaration(l->reader, parts->items[i]); i++)
		lower_declaration(l, parts->items[i]);
	if (i + 2 != parts->count)
		return;
	lower_condition(l, lower_expr(l, parts->items[i]), yes, l->breaks.block);
	l->block = yes;
	lower_statement(l, parts->items[i + 1]);
	lower_end_scope(l, outside, parts->items[i + 1]);
}

static bool lower_while(struct lower *l, const struct cursors *parts)
{
	if (!parts->count || !is_declaration(l->reader, parts->items[0]))
		return false;
	lower_rounds(l, false, while_round, (void *)(uintptr_t)parts);
	return true;
}

/* ---- loops ----------------------------------------------------------------------------------- */

struct range {
	CXCursor variable, of, body;
};

/* One round of `for (T x : range)`, whose variable is an element. */
static void range_round(struct lower *l, void *data)
{
	const struct range *is = data;
	struct audit_expr *of = lower_expr(l, is->of),
			  *element = lower_new(l, EXPR_INDEX, is->variable, 2), *target;
	const bool is_reference = cxx_is_reference(
		l->reader->clang.getCanonicalType(l->reader->clang.getCursorType(is->variable)));

	lower_step(l, cxx_touch(l, is->of, of, false));
	element->operands[0] = cxx_address(l, is->of, of);
	element->operands[1] = cxx_new(l, EXPR_OTHER, is->of, 0);
	element->at = cursor_place(l->reader, is->of);
	target = lower_local_expr(l, lower_add_local(l, is->variable), is->variable);
	if (is_reference) {
		*array_add(&l->references) = target->id;
		target->decays = false;
		target->is_pointer = true;
		element = cxx_address(l, is->of, element);
	}
	cxx_assign(l, is->variable, target, element);
	lower_statement(l, is->body);
}

static void lower_range(struct lower *l, const struct cursors *parts)
{
	const size_t count = parts->count;
	struct range is;

	for (size_t i = 0; i + 3 < count; i++)
		lower_statement(l, parts->items[i]);
	if (count < 3)
		return;
	is = (struct range){parts->items[count - 3], parts->items[count - 2],
			    parts->items[count - 1]};
	/* Loops over all threads, to join them, are of no use without any. */
	lower_rounds(l, true, range_round, &is);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

/* A handler runs as if nothing of the try block had happened, or the block without it. */
static void lower_try(struct lower *l, const struct cursors *parts)
{
	const unsigned behind = lower_block_new(l);

	for (size_t i = 0; i < parts->count; i++) {
		const unsigned here = lower_block_new(l),
			       next = i + 1 < parts->count ? lower_block_new(l) : here;
		CHILDREN(handler, l->reader, parts->items[i]);

		if (next == here)
			lower_jump(l, here);
		else
			lower_branch(l, NULL, here, next);
		l->block = here;
		if (cursor_kind(l->reader, parts->items[i]) != CXCursor_CXXCatchStmt)
			lower_statement(l, parts->items[i]);
		else if (handler.count)
			lower_statement(l, handler.items[handler.count - 1]);
		lower_jump(l, behind);
		l->block = next;
	}
	l->block = behind;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

bool cxx_statement(struct lower *l, CXCursor c, const struct cursors *parts)
{
	switch ((unsigned)cursor_kind(l->reader, c)) {
	case CXCursor_IfStmt:
	case CXCursor_SwitchStmt:
		return scoped(l, c, parts);
	case CXCursor_WhileStmt:
		return lower_while(l, parts);
	case CXCursor_CXXForRangeStmt:
		lower_range(l, parts);
		return true;
	case CXCursor_CXXTryStmt:
		if (parts->count)
			lower_try(l, parts);
		return true;
	default:
		return false;
	}
}

const struct lower_language cxx_language = {cxx_expr,  cxx_statement, cxx_variable, cxx_result,
					    cxx_begin, cxx_enter,     cxx_leave};
