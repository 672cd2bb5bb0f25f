/* Functions, files and lines of a module, for completion; the statements of a
   function, for stepping. */
#include "tracer/base/files/path.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/source/names/names.h"

#include <string.h>

void source_each_function(struct module *m, void (*each)(void *ctx, const char *name), void *ctx)
{
	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		char *name = s->function ? names_of_symbol(s->name) : NULL;

		if (name)
			each(ctx, name);
		base_free(name);
	}
}

/* Adds functions that are not in the symbol table if all their calls are inlined. Those of the
   system's headers are left out. */
void source_each_inlined(struct module *m, void (*each)(void *ctx, const char *name), void *ctx)
{
	ERROR(ignored);
	struct die_table *t = dies_table(m, &ignored);
	struct function f;

	if (!t)
		return;
	array_each(struct die_unit, u, &t->units) {
		if (dies_load(t, u, &ignored) < 0)
			continue;
		array_each(struct scope, scope, &u->scopes) {
			if (scope->kind == SCOPE_INLINED && dies_has_code(scope) &&
			    function_read(t, (struct scope_ref){u, scope}, &f, &ignored) == 0 &&
			    f.name && f.file && !path_is_system_source(f.file))
				each(ctx, f.spoken ? f.spoken : f.name);
		}
	}
}

void source_each_entry(struct module *m, void (*each)(void *ctx, uint64_t offset), void *ctx)
{
	uint64_t last = 0;

	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		if (!s->function || s->ifunc || s->offset == last || !s->size)
			continue;
		last = s->offset;
		each(ctx, s->offset);
	}
}

/* Passes on the files with rows: many headers of a unit have no code. */
static void each_file_with_code(struct line_unit *u, void (*each)(void *ctx, const char *name),
				void *ctx)
{
	bool *has_code = base_alloc(u->files.count + 1, sizeof(*has_code));

	array_each(const struct line_row, row, &u->rows)
		if (row->is_stmt && row->line && row->file < u->files.count)
			has_code[row->file] = true;
	for (unsigned i = 0; i < u->files.count; i++)
		if (has_code[i])
			each(ctx, str_base_name(u->files.items[i].name));
	base_free(has_code);
}

void source_each_file(struct module *m, void (*each)(void *ctx, const char *name), void *ctx)
{
	ERROR(ignored);
	struct line_table *t = module_lines(m, true, &ignored);

	if (!t)
		return;
	array_each(struct line_unit, u, &t->units)
		if (lines_decode(m, u, &ignored) == 0)
			each_file_with_code(u, each, ctx);
}

void source_each_line(struct module *m, const char *file, void (*each)(void *ctx, unsigned line),
		      void *ctx)
{
	ERROR(ignored);
	struct line_table *t = module_lines(m, true, &ignored);

	if (!t)
		return;
	array_each(struct line_unit, u, &t->units) {
		for (int i = 0; (i = lines_find_file(u, file, i)) >= 0; i++) {
			if (lines_decode(m, u, &ignored) < 0)
				break;
			array_each(const struct line_row, row, &u->rows)
				if ((int)row->file == i && row->is_stmt && row->line)
					each(ctx, row->line);
		}
	}
}

/* ---- the statements of a function ------------------------------------------------------------ */

/* Adds the rows of one range of the function's code. Rows with line 0 belong to no source
   line (DWARF 5 6.2.2). */
static void statements_in(struct line_unit *l, const struct module_range *r,
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
		statements_in(l, &scope.unit->ranges.items[scope.scope->first_range + i], out);
	return out->count > 0;
}
