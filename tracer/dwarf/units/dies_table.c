/* The table of a module is made: of what an earlier run has kept, or by reading it. */
#include "tracer/dwarf/units/dies_read.h"
#include "tracer/dwarf/index/index.h"
#include "tracer/dwarf/units/split.h"

static void unit_fini(struct die_unit *u)
{
	array_fini(&u->scopes);
	array_fini(&u->ranges);
	array_fini(&u->spans);
	array_fini(&u->calls);
}

static void dies_free(void *data)
{
	struct die_table *t = data;

	cleanups_run(&t->cleanups);
	array_each(struct die_unit, u, &t->units)
		unit_fini(u);
	array_fini(&t->units);
	array_each(struct abbrevs *, a, &t->abbrevs)
		abbrevs_free(*a);
	array_fini(&t->abbrevs);
	if (t->top_abbrevs)
		abbrevs_free(t->top_abbrevs);
	array_fini(&t->spans);
	array_each(char *, text, &t->strings)
		base_free(*text);
	array_fini(&t->strings);
	array_each(struct die_named, n, &t->named) {
		base_free(n->name);
		base_free(n->marks);
	}
	array_fini(&t->named);
	array_fini(&t->signatures);
	base_free(t->own.joined);
	split_free(t->split);
	alternate_free(t->alt);
	base_free(t->alt_missing);
	base_free(t);
}

static int find_sections(struct die_table *t, struct error *err)
{
	struct die_source *own = &t->own;
	const struct {
		const char *name;
		struct section_data *data;
	} wanted[] = {
		{".debug_info", &own->info},	     {".debug_abbrev", &own->abbrev},
		{".debug_str", &own->str},	     {".debug_line_str", &own->line_str},
		{".debug_addr", &t->addr},	     {".debug_str_offsets", &own->str_offsets},
		{".debug_rnglists", &own->rnglists}, {".debug_ranges", &t->ranges},
	};
	struct section_data types;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (module_section(t->module, wanted[i].name, wanted[i].data, err) < 0)
			return -1;
		if (!wanted[i].data->bytes) /* empty is simpler than missing */
			*wanted[i].data = (struct section_data){.bytes = (const uint8_t *)""};
	}
	if (module_section(t->module, ".debug_types", &types, err) < 0)
		return -1;
	dies_join_types(own, &types);
	return 0;
}

static int find_units(struct die_table *t, struct error *err)
{
	if (index_read(t))
		return 0;
	if (dies_read_units(t, err) < 0)
		return -1;
	index_keep(t);
	return 0;
}

struct die_table *dies_table(struct module *m, struct error *err)
{
	struct die_table *t;

	if (m->dies)
		return m->dies;
	t = base_alloc(1, sizeof(*t));
	t->module = m;
	if (module_find_debug(m) && (find_sections(t, err) < 0 || find_units(t, err) < 0)) {
		dies_free(t);
		return NULL;
	}
	cleanup_add(&m->cleanups, dies_free, t);
	return m->dies = t;
}
