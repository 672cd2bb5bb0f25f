/* Rows of the line table that mark the beginnings of statements. */
#include "tracer/base/text/token.h"
#include "tracer/base/text/word.h"
#include "tracer/source/copies/copy.h"
#include "tracer/source/lines/source_lines.h"

#include <string.h>

bool row_is_same(const struct line_row *a, const struct line_row *b)
{
	return a->line == b->line && a->file == b->file && a->column == b->column;
}

unsigned row_order(const struct line_row *first, const struct line_row *row)
{
	unsigned order = 0;

	while (row > first && row[-1].offset == row->offset) {
		row--;
		order++;
	}
	return order;
}

enum row_followed row_followed(const struct line_row *row)
{
	const struct line_row *last = row;

	for (const struct line_row *next = row + 1;
	     !next->end_sequence && next->offset == row->offset; next++) {
		if (next->line && next->is_stmt && next->line != row->line)
			return ROW_BEFORE_STATEMENT;
		if (next->line)
			last = next;
	}
	/* The closing brace is on a later line. */
	return last->file == row->file && last->line > row->line ? ROW_BEFORE_CODE : ROW_LAST;
}

bool row_is_repeated(const struct line_row *first, const struct line_row *row)
{
	const struct line_row *before = row;

	while (before > first && !(--before)->is_stmt)
		;
	return before != row && before->is_stmt && row_is_same(before, row);
}

const struct line_row *rows_in(const struct line_unit *l, const struct module_range *range,
			       size_t *count)
{
	size_t n = array_upto(&l->sequences, low, range->low), first, end;
	const struct line_sequence *s = n ? &l->sequences.items[n - 1] : NULL;
	const struct line_row *rows = s ? &l->rows.items[s->first] : NULL;

	*count = 0;
	if (!s)
		return NULL;
	first = sorted_below(rows, s->count - 1, offset, range->low, false);
	end = sorted_below(rows, s->count - 1, offset, range->high, false);
	*count = end - first;
	return rows + first;
}

/* ---- text of marked lines ------------------------------------------------------------------- */

bool is_one_call(struct resolver *r, const char *path, unsigned line)
{
	static const char *const words[] = {"for", "while", "if", "switch", "return"};
	const char *text = source_line(r->symbols, path, line), *end;
	struct token name = token_at(text ? text : ""), next = token_at(name.start + name.length);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (token_is(&name, words[i]))
			return false;
	end = strchr(next.start, ';');
	if (name.kind != TOKEN_NAME || !token_is_op(&next, '(') || !end)
		return false;
	next = token_at(end + 1);
	return next.kind == TOKEN_END || next.kind == TOKEN_COMMENT;
}

/* True if the marker is that of a `return`. Its column is that of the expression. */
static bool is_return(const struct copy_work *w, const struct line_row *row)
{
	const char *text = source_line(w->r->symbols, lines_file(w->lines, row->file), row->line);
	const char *end, *word = NULL;

	if (!text)
		return false;
	end = text + strlen(text);
	if (row->column && row->column < (size_t)(end - text))
		end = text + row->column;
	for (const char *at = text; (at = word_find(at, "return", 6)) && at < end; at++)
		word = at;
	return word && !memchr(word, ';', (size_t)(end - word));
}

/* ---- end of a macro ------------------------------------------------------------------------- */

/* Owner of a row: the copy itself, a call inlined into it, or other code. */
enum row_of { ROW_OWN, ROW_CALLEE, ROW_OUTSIDE };

/* Returns the owner of the row. A row without code at the address of an inlined
   call is the copy's own. */
static enum row_of row_of(const struct row_place *p, unsigned begins, const struct line_row *row)
{
	struct scope_ref stack[FUNCTIONS_DEEP];
	int count = resolve_stack(p->r, p->copy->module, row->offset, stack), i = 0;

	while (i < count && stack[i].scope != p->copy->owner.scope)
		i++;
	if (i == count)
		return ROW_OUTSIDE;
	if (row->line < begins || !file_use_has(p->use, row->file))
		return ROW_CALLEE;
	return i == 0 || row[1].offset == row->offset ? ROW_OWN : ROW_CALLEE;
}

bool row_ends_macro(const struct row_place *p, const struct line_row *first,
		    const struct line_row *row)
{
	const struct line_row *before = row;
	enum row_of what = ROW_CALLEE;
	struct function f;

	if (!resolve_function(p->r, p->copy->module, p->copy->owner, &f))
		return false;
	if (!function_same_file(f.file, p->path))
		f.line = 0;
	while (what == ROW_CALLEE && before > first) {
		do
			before--;
		while (before > first && !before->is_stmt);
		what = row_of(p, f.line, before);
	}
	return what == ROW_OWN && before->is_stmt && row_is_same(before, row);
}

/* ---- jumps that pass a marker by ------------------------------------------------------------ */

/* Returns the last marker that control passes on the way to the address, without jumps, or NULL. */
static const struct line_row *last_mark(const struct copy_work *w, uint64_t offset)
{
	const struct line_row *row = lines_row_at(w->lines, offset);

	for (; row && !row->end_sequence; row--) {
		if (row->is_stmt && row->line)
			return row;
		if (row == w->lines->rows.items ||
		    (row[-1].offset != row->offset && !flow_falls_into(w->flow, row->offset)))
			break;
	}
	return NULL;
}

/* True if the jump comes from a `return` of the same function, not of an inlined call. */
static bool is_own_return(const struct copy_work *w, uint64_t jump)
{
	const struct line_row *mark = last_mark(w, jump);
	struct scope_ref stack[FUNCTIONS_DEEP];
	struct function f;
	ERROR(ignored);

	return mark && mark->line != w->line && is_return(w, mark) &&
	       function_same_file(lines_file(w->lines, mark->file), w->file) &&
	       functions_stack(w->dies, mark->offset, stack, &ignored) > 0 &&
	       stack[0].scope == w->c->owner.scope &&
	       function_read(w->dies, stack[0], &f, &ignored) == 0 && f.line <= mark->line;
}

bool mark_is_passed_by(const struct copy_work *w, const struct block *b)
{
	struct flow_offsets jumps = {0};
	bool passed = false;

	if (!w->lines)
		return false;
	flow_jumps_to(w->flow, b->start, &jumps);
	array_each(const uint64_t, jump, &jumps)
		passed = passed || (flow_is_jump(w->flow, *jump) && is_own_return(w, *jump));
	array_fini(&jumps);
	return passed;
}

bool marks_are_lost(const struct line_unit *l, struct scope_ref owner)
{
	const struct flow_ranges code = scope_code(function_outermost(owner));

	return code.count && lines_all_stmt_in(l, code.items, code.count);
}
