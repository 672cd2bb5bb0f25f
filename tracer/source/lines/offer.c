/* Suggests functions for a misspelt name, from the DIEs of all units. Units that no other query has
   loaded are unloaded again. */
#include "tracer/dwarf/units/units.h"
#include "tracer/elf/module.h"
#include "tracer/source/lines/resolve.h"

#include <libdwarf/dwarf.h>

/* Search for suggestions. The abbreviations of the last unit are cached: units may share them. */
struct offering {
	struct resolver *r;
	struct die_table *t;
	struct suggestions *s;
	const struct die_source *in;
	uint64_t abbrevs;
	bool symbols; /* the module's symbol table has all its functions with code */
	bool copies;  /* abbrevs_inline() for `abbrevs` */
};

/* True for C and C++, whose symbols contain the DIE's name. */
static bool is_c_family(unsigned language)
{
	switch (language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default: /* C++17, C++20 and C17, which <libdwarf/dwarf.h> may lack */
		return language == 0x2a || language == 0x2b || language == 0x2c;
	}
}

/* Functions inlined at every call have no symbol; all others are suggested
   from the symbol table. */
static bool adds_names(struct offering *o, const struct die_unit *u)
{
	if (!o->symbols || u->split || !is_c_family(u->language))
		return true;
	if (o->in != u->in || o->abbrevs != u->abbrev_offset) {
		o->copies = abbrevs_inline(o->t, u);
		o->in = u->in;
		o->abbrevs = u->abbrev_offset;
	}
	return o->copies;
}

void offer_name(const struct resolver *r, const char *full, struct suggestions *s)
{
	struct name_parts parts;
	char *name = r->wanted.parts.count > 1 ? names_plain(full) : base_strdup(full);
	const char *compared = name;
	char *last = NULL, *test_case = source_test_case(full);

	if (test_case)
		suggest_offer(s, test_case);
	base_free(test_case);

	names_split(name, &parts);
	if (r->wanted.parts.count == 1)
		compared = last = names_last(&parts);
	else if (parts.parts.count > r->wanted.parts.count)
		compared = parts.parts.items[parts.parts.count - r->wanted.parts.count].text;
	suggest_offer_as(s, compared, last ? last : name);
	names_fini(&parts);
	base_free(last);
	base_free(name);
}

static void offer_scope(struct offering *o, struct scope_ref scope)
{
	bool qualified = o->r->wanted.parts.count > 1;
	const char *name = NULL;
	ERROR(ignored);
	struct function f;

	if (scope.scope->kind != SCOPE_FUNCTION || scope.scope->declaration)
		return;
	if (qualified && function_read(o->t, scope, &f, &ignored) == 0)
		name = f.name;
	else if (!qualified && function_short_name(o->t, scope, &name, &ignored) < 0)
		return;
	if (name)
		offer_name(o->r, name, o->s);
}

static int offer_unit(struct offering *o, struct die_unit *u)
{
	bool kept = u->loaded || u->split;
	ERROR(ignored);

	if (dies_load(o->t, u, &ignored) < 0)
		return -1;
	array_each(struct scope, scope, &u->scopes)
		offer_scope(o, (struct scope_ref){u, scope});
	if (!kept)
		dies_unload(u);
	return 0;
}

void offer_functions(struct resolver *r, struct module *m, struct suggestions *s)
{
	ERROR(ignored);
	struct die_table *t = module_find_debug(m) ? dies_table(m, &ignored) : NULL;
	struct offering o = {.r = r, .t = t, .s = s, .symbols = module_has_all_symbols(m)};
	struct pass pass;

	if (!t)
		return;
	pass.from = t->own.info.bytes;
	array_each(struct die_unit, u, &t->units) {
		if (u->in == &t->own && pass_to(&pass, dies_bytes(u, u->offset)))
			pass_over(t->own.str.bytes, t->own.str.size);
		if (adds_names(&o, u) && offer_unit(&o, u) < 0)
			return;
	}
}
