/* Functions, lines and symbols of addresses, for messages, backtraces and the timeline. */
#include "tracer/base/text/str.h"
#include "tracer/source/names/names.h"

#include <string.h>

static void by_symbol(struct module *m, uint64_t offset, struct source_symbolised *out)
{
	const struct elf_symbol *s = module_symbol_at(m, offset, true);

	if (!s)
		return;
	out->function = names_of_symbol(s->name);
	out->start = s->offset;
}

/*
 * True if the DIEs have a better name than the symbol. Users know the symbol (malloc, not
 * __libc_malloc), but static functions of stripped programs have none, and specialised ones are
 * called foo.constprop.0.
 */
static bool wants_dies(const struct source_symbolised *w, const struct die_unit *u)
{
	return !w->function || (u->loaded && strchr(w->function, '.'));
}

static void by_dies(struct die_table *t, uint64_t offset, struct source_symbolised *out)
{
	ERROR(ignored);
	struct scope_ref scope;
	struct function f;

	if (dies_function_at(t, offset, &scope, &ignored) < 0 || !scope.scope ||
	    function_read(t, scope, &f, &ignored) < 0 || !f.name)
		return;
	base_free(out->function);
	out->function = base_strdup(f.name);
	out->start = scope.unit->ranges.items[scope.scope->first_range].low;
}

static void symbolise_line_of(struct die_table *t, const struct die_unit *u, uint64_t offset,
			      struct source_symbolised *out)
{
	struct module *m = t->module;
	const struct line_row *row;
	ERROR(ignored);
	struct line_unit *l;

	if (!u->has_stmt_list || !m->lines)
		return;
	l = lines_unit_at(m->lines, u->stmt_list);
	if (!l || lines_decode(m, l, &ignored) < 0)
		return;
	row = lines_row_at(l, offset);
	if (!row || !row->line)
		return;
	out->file = lines_file(l, row->file);
	out->line = row->line;
}

bool source_symbolise(struct module *m, uint64_t offset, bool lines, struct source_symbolised *out)
{
	ERROR(ignored);
	struct die_table *t = lines ? dies_table(m, &ignored) : m->dies;
	struct die_unit *u;

	memset(out, 0, sizeof(*out));
	by_symbol(m, offset, out);
	u = t ? dies_unit_at(t, offset) : NULL;
	if (u && wants_dies(out, u))
		by_dies(t, offset, out);
	if (u && lines)
		symbolise_line_of(t, u, offset, out);
	return out->function || out->file;
}

void source_symbolised_fini(struct source_symbolised *w)
{
	base_free(w->function);
	memset(w, 0, sizeof(*w));
}

const char *source_innermost(struct module *m, uint64_t offset)
{
	ERROR(ignored);
	struct die_table *t = dies_table(m, &ignored);
	struct scope_ref at;
	struct function f;
	uint32_t i;

	if (!t || dies_function_at(t, offset, &at, &ignored) < 0 || !at.scope)
		return NULL;
	for (i = (uint32_t)(at.scope - at.unit->scopes.items) + 1; i < at.scope->end;) {
		struct scope *s = &at.unit->scopes.items[i];

		/* An inlined copy without ranges has no instruction, wherever it begins. */
		if (s->kind == SCOPE_INLINED && s->range_count && dies_covers(at.unit, s, offset)) {
			at.scope = s;
			i++;
		} else {
			i = s->end;
		}
	}
	return function_read(t, at, &f, &ignored) < 0 ? NULL : f.name;
}

char *source_name_of(struct module *m, uint64_t offset)
{
	const struct elf_symbol *s = module_symbol_at(m, offset, false);
	struct str name = {0};
	char *full;

	if (!s)
		return NULL;
	full = source_demangle(s->name);
	str_add(&name, full);
	base_free(full);
	if (offset > s->offset)
		str_addf(&name, "+0x%llx", (unsigned long long)(offset - s->offset));
	return str_take(&name);
}
