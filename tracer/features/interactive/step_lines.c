/* The line of an instruction, for stepping. An instruction is often in nested copies (inlined
 * calls): each has a line, the outer ones that of their call. `next` uses the thread's function,
 * `step` the tester's innermost line. */
#include "tracer/base/files/path.h"
#include "tracer/source/names/names.h"
#include "tracer/features/interactive/interactive_internal.h"

#include <string.h>

/* ---- which code is the tester's own ------------------------------------------------------ */

/* System libraries are not the tester's code. */
bool interactive_is_own_module(const struct run_thread *t, const struct module *m)
{
	return m == run_process_exe(run_process_of(t)) ||
	       (m && !path_is_system_object(module_path(m)));
}

bool interactive_is_own_file(const struct run_thread *t, const struct module *m, const char *file)
{
	return file && !path_is_system_source(file) && interactive_is_own_module(t, m);
}

bool interactive_is_own(const struct run_thread *t, const struct inspect_call *call)
{
	return call->line && interactive_is_own_file(t, call->frame.module, call->file);
}

/* ---- lines ------------------------------------------------------------------------------- */

struct level {
	struct die_table *table;
	struct scope_ref stack[FUNCTIONS_DEEP];
	int count;
	uint64_t offset;
};

static bool has_here(const struct level *l, int i)
{
	const struct scope_ref at = l->stack[i];

	return at.scope->range_count && dies_covers(at.unit, at.scope, l->offset);
}

/* Returns the level whose source text the row is: an instruction moved into a copy still belongs to
 * the caller. */
static int owner_of(const struct level *l, const struct source_statement *row)
{
	struct scope_ref owner = l->stack[0];
	ERROR(ignored);
	int i = 0;

	functions_owner(l->table, l->stack, l->count, row->file, row->line, &owner, &ignored);
	while (i + 1 < l->count && l->stack[i].scope != owner.scope)
		i++;
	return i;
}

/* gcc leaves instructions of a copy outside of it: their lines precede the function's first
 * line. */
static bool step_lines_is_before(const struct level *l, int i, const struct source_statement *row)
{
	ERROR(ignored);
	struct function f;

	return function_read(l->table, l->stack[i], &f, &ignored) == 0 && f.file && row->file &&
	       row->line < f.line && function_same_file(f.file, row->file);
}

static bool line_at(const struct level *l, int i, const struct source_statement *row,
		    struct step_line *out)
{
	const struct scope *copy = i ? l->stack[i - 1].scope : NULL;

	*out = (struct step_line){row->file, row->line, 0, l->stack[i].scope->offset};
	if (copy && has_here(l, i - 1) && owner_of(l, row) != i) {
		out->file = function_file(l->table, l->stack[i - 1].unit, copy->call_file);
		out->line = copy->call_line;
		out->copy = copy->offset;
	} else if (step_lines_is_before(l, i, row)) {
		out->line = 0;
	}
	return out->file && out->line;
}

/* Returns the innermost level that covers the instruction or owns its row. Copies that only begin
 * there do not cover it. */
static int step_lines_innermost(const struct level *l, const struct source_statement *row)
{
	int owner = owner_of(l, row), i = 0;

	while (i + 1 < l->count && !has_here(l, i))
		i++;
	return owner > i ? owner : i;
}

bool step_line_at(const struct run_thread *t, struct module *m, uint64_t around,
		  const struct source_statement *row, struct step_line *out)
{
	ERROR(ignored);
	struct level l = {.table = dies_table(m, &ignored), .offset = row->offset};
	int i;

	l.count = l.table ? functions_stack(l.table, row->offset, l.stack, &ignored) : 0;
	if (l.count <= 0)
		return false;
	i = around ? functions_which(l.table, l.stack, l.count, around)
		   : step_lines_innermost(&l, row);
	for (; i >= 0 && i < l.count; i++)
		if (line_at(&l, i, row, out) && interactive_is_own_file(t, m, out->file))
			return true;
	return false;
}
