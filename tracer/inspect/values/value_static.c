/* Static members of classes: where their definition is. */
#include "tracer/elf/module_tables.h"
#include "tracer/source/names/names.h"
#include "tracer/inspect/values/value_internal.h"

#include <libdwarf/dwarf.h>

#include <string.h>

static int constant_value(const struct inspect_value *v, const struct type_member *m,
			  const struct entry *e, struct inspect_value *out)
{
	const struct attr *a = entry_attr(e, DW_AT_const_value);

	if (!a || !m->type->size)
		return 0;
	if (a->block && a->size >= m->type->size)
		*out = value_of_bytes(v->program, m->type, a->block, (size_t)m->type->size);
	else if (!a->block && m->type->size <= sizeof(a->number))
		*out = value_of_bytes(v->program, m->type, &a->number, (size_t)m->type->size);
	else
		return 0;
	return 1;
}

/* The symbol whose demangled name is that of the member. */
static bool find_demangled(struct module *m, const char *full, const char *name, uint64_t *offset)
{
	struct name_parts wanted;
	STR(piece);
	bool found = false;

	str_addf(&piece, "%zu%s", strlen(name), name);
	names_split(full, &wanted);
	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		char *plain;

		if (found || s->function || !strstr(s->name, str_text(&piece)))
			continue;
		plain = source_demangle(s->name);
		found = names_match(&wanted, plain);
		*offset = s->offset;
		base_free(plain);
	}
	names_fini(&wanted);
	return found;
}

static bool find_symbol(struct module *m, const char *linkage, const char *full, const char *name,
			uint64_t *offset)
{
	uint64_t size;

	if (linkage)
		return module_symbol(m, linkage, offset, &size) == 0;
	return find_demangled(m, full, name, offset);
}

int value_static(const struct inspect_value *v, const struct type_member *m,
		 struct inspect_value *out, struct error *err)
{
	struct die_table *d = dies_table(v->type->module, err);
	const char *linkage;
	STR(full);
	struct module *module;
	struct entry e;
	uint64_t bias, offset;

	if (!d || entry_read(d, m->entry, &e, err) < 0)
		return -1;
	if (constant_value(v, m, &e, out))
		return 0;
	linkage = entry_text(&e, DW_AT_linkage_name);
	str_addf(&full, "%s::%s", type_full_name(v->type), m->name ? m->name : "");
	for (size_t i = 0; (module = dwarf_module(v->program, i, &bias)); i++) {
		if (!find_symbol(module, linkage, str_text(&full), m->name, &offset))
			continue;
		*out = value_in_memory(v->program, type_whole(m->type, v->program), bias + offset);
		return 0;
	}
	return error_set(err, ERROR_STATE,
			 "the static member %s is not in the program: optimised out",
			 str_text(&full));
}
