/* Where the statements of a function begin: for stepping from line to line, and to show them. */
#include "tracer/source/names/names.h"

#include <string.h>

/* The rows of the function's code; those of line 0 belong to nothing that was written. */
static void of_range(struct line_unit *l, const struct module_range *r,
		     struct source_statements *out)
{
	array_each(const struct line_row, row, &l->rows) {
		if (row->offset < r->low || row->offset >= r->high || !row->is_stmt || !row->line ||
		    row->end_sequence)
			continue;
		*array_add(out) =
			(struct source_statement){row->offset, lines_file(l, row->file), row->line};
	}
}

bool source_statements(struct module *m, uint64_t offset, struct source_statements *out)
{
	ERROR(ignored);
	struct die_table *t = dies_table(m, &ignored);
	struct scope_ref scope;
	struct line_unit *l;

	*out = (struct source_statements){0};
	if (!t || dies_function_at(t, offset, &scope, &ignored) < 0 || !scope.scope ||
	    !scope.unit->has_stmt_list || !m->lines)
		return false;
	l = lines_unit_at(m->lines, scope.unit->stmt_list);
	if (!l || lines_decode(m, l, &ignored) < 0)
		return false;
	for (uint32_t i = 0; i < scope.scope->range_count; i++)
		of_range(l, &scope.unit->ranges.items[scope.scope->first_range + i], out);
	return out->count > 0;
}
