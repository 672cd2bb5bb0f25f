/* The loop that a line is the head of, or is in: where its rounds end, and whether there is any. */
#include "tracer/source/copies/resolve_copy.h"
#include "tracer/source/copies/resolve_marks.h"

/* Goes on to the next row of the line, behind code of no line. False: there is none before a jump. */
static bool own_row_behind(const struct copy_work *w, uint64_t *offset)
{
	uint64_t from = *offset;

	array_each(const struct module_range, r, &w->c->lineless)
		if (r->low <= *offset && *offset < r->high)
			*offset = r->high;
	return flow_in_ranges(w->own.items, w->own.count, *offset) &&
	       flow_is_straight(w->flow, from, *offset);
}

/*
 * clang marks no statement where the row before was of the same line. Where the body of a `for` ends in code that has no line, as an
 * inlined destructor may, its increment and condition stand behind the rows of its beginning in that way, and only the body
 * leads there.
 */
void copy_round_ends(const struct copy_work *w, struct flow_offsets *out)
{
	struct flow_offsets ends = {0};

	if (!w->flow || !w->c->owner.unit || w->c->owner.unit->is_gcc || !w->has_code)
		return;
	flow_round_ends(w->flow, w->own.items, w->own.count, &ends);
	array_each(uint64_t, end, &ends)
		if (own_row_behind(w, end))
			*array_add(out) = *end;
	array_fini(&ends);
}

/* ---- whether there is a loop ----------------------------------------------------------------- */

/* In what is written of the function up to the line? A tail call of itself is not looked for. */
static bool may_loop(const struct copy_work *w, const struct function *function, const char *path,
		     unsigned line)
{
	const struct source_file *f;

	if (!path || !function->file || !function->line || function->line > line ||
	    !function_same_file(function->file, path))
		return true;
	f = lines_source(w->r->symbols, path);
	return !f || line > f->lines.count || source_may_loop(f, function->line, line);
}

bool copy_has_no_loop(const struct copy_work *w)
{
	ERROR(ignored);
	struct die_table *t = dies_table(w->c->module, &ignored);
	struct scope_ref at = w->c->owner;
	const char *path = w->file;
	unsigned line = w->line;
	struct function f;

	while (t && at.scope && function_read(t, at, &f, &ignored) == 0) {
		if (may_loop(w, &f, path, line))
			return false;
		if (at.scope->kind != SCOPE_INLINED)
			return true;
		path = function_file(t, at.unit, at.scope->call_file);
		line = at.scope->call_line;
		at = function_around(at);
	}
	return false;
}
