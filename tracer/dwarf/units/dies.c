/* The table of units: headers, top DIEs, and units by DIE and by address. */
#include "tracer/dwarf/units/units.h"

#include "tracer/dwarf/index/index.h"
#include "tracer/elf/module.h"

#include <libdwarf/dwarf.h>

#include <stdlib.h>
#include <string.h>

/* ---- unit headers --------------------------------------------------------------------------- */

static int read_sizes(struct die_table *t, struct die_unit *u, struct cursor *c, struct error *err)
{
	u->version = (uint8_t)cursor_fixed(c, 2);
	if (u->version < 2 || u->version > 5)
		return dies_broken(t, err,
				   "a unit of no DWARF version from 2 to 5, in .debug_info,",
				   u->offset);
	u->type = DW_UT_compile;
	if (u->version >= 5) {
		u->type = (uint8_t)cursor_fixed(c, 1);
		u->address_size = (uint8_t)cursor_fixed(c, 1);
		u->abbrev_offset = cursor_fixed(c, u->offset_size);
	} else {
		u->abbrev_offset = cursor_fixed(c, u->offset_size);
		u->address_size = (uint8_t)cursor_fixed(c, 1);
	}
	if (u->version < 5 && u->offset - u->in->start >= u->in->types_from)
		u->type = DW_UT_type;
	if (u->type == DW_UT_type || u->type == DW_UT_split_type) {
		u->signature = cursor_fixed(c, 8);
		u->type_die = u->offset + cursor_fixed(c, u->offset_size);
	} else if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile) {
		u->dwo_id = cursor_fixed(c, 8);
	}
	if (c->broken || (u->address_size != 8 && u->address_size != 4))
		return dies_broken(t, err, "a broken unit header, in .debug_info,", u->offset);
	return 0;
}

int dies_header(struct die_table *t, const struct die_source *in, struct cursor *c,
		struct die_unit *u, struct error *err)
{
	uint64_t length;

	*u = (struct die_unit){.in = in, .ref_base = in->start};
	u->offset = dies_offset(u, c->at);
	u->offset_size = 4;
	length = cursor_fixed(c, 4);
	if (length == 0 && !c->broken)
		return 0;
	if (length == UINT32_MAX) {
		u->offset_size = 8;
		length = cursor_fixed(c, 8);
	}
	if (c->broken || length > (uint64_t)(c->end - c->at))
		return dies_broken(t, err, "a unit that does not end, in .debug_info,", u->offset);
	struct cursor unit = {.at = c->at, .end = c->at + length};

	u->end = u->place_end = dies_offset(u, unit.end);
	c->at = unit.end;
	if (read_sizes(t, u, &unit, err) < 0)
		return -1;
	u->first = dies_offset(u, unit.at);
	return 1;
}

static void take_bases(struct die_unit *u, const struct die *d)
{
	/* Without DW_AT_str_offsets_base, the first contribution is after its header. */
	u->str_base = d->at[DIE_STR_BASE].form ? d->at[DIE_STR_BASE].number : 2u * u->offset_size;
	u->addr_base = d->at[DIE_ADDR_BASE].form ? d->at[DIE_ADDR_BASE].number : 8;
	u->rnglists_base = d->at[DIE_RNGLISTS_BASE].number;
	u->loclists_base = d->at[DIE_LOCLISTS_BASE].number;
	u->ranges_base = d->at[DIE_RANGES_BASE].number;
	if (d->at[DIE_DWO_ID].form)
		u->dwo_id = d->at[DIE_DWO_ID].number;
}

/* Gives a line program of versions 2 to 4 its directory, which only DW_AT_comp_dir has. */
static void tell_directory(const struct die_unit *u, struct line_table *lines)
{
	struct line_unit *l;

	if (!u->has_stmt_list || !u->comp_dir)
		return;
	l = lines_unit_bare(lines, u->stmt_list);
	if (l)
		lines_set_comp_dir(l, u->comp_dir);
}

static int take_spans(struct die_table *t, struct die_unit *u, const struct die *d,
		      struct error *err)
{
	if (die_ranges(t, u, d, err) < 0)
		return -1;
	array_each(const struct module_range, r, &u->ranges) {
		struct unit_span *s = array_add(&t->spans);

		s->low = r->low;
		s->high = r->high;
		s->unit = (uint32_t)(u - t->units.items);
	}
	array_fini(&u->ranges);
	return 0;
}

void dies_take_names(struct die_table *t, struct die_unit *u, const struct die *d)
{
	const char *producer = die_text(t, u, &d->at[DIE_PRODUCER]);

	u->language = (unsigned)d->at[DIE_LANGUAGE].number;
	u->name = die_text(t, u, &d->at[DIE_NAME]);
	u->is_gcc = producer && strncmp(producer, "GNU", 3) == 0;
}

static int read_top(struct die_table *t, struct die_unit *u, struct line_table *lines,
		    struct error *err)
{
	struct die d;

	if (u->first >= u->end)
		return 0;
	if (die_read_top(t, u, &d, err) < 0)
		return -1;
	if (!d.tag || !d.wanted)
		return 0;
	take_bases(u, &d);
	u->partial = d.tag == DW_TAG_partial_unit;
	/* Numbers of an alternate file refer to line programs that do not exist. */
	u->has_stmt_list = d.at[DIE_STMT_LIST].form != 0 && u->in == &t->own;
	u->stmt_list = d.at[DIE_STMT_LIST].number;
	u->comp_dir = die_text(t, u, &d.at[DIE_COMP_DIR]);
	dies_take_names(t, u, &d);
	die_address(t, u, &d.at[DIE_LOW], &u->low);
	u->split = d.at[DIE_DWO].form && d.tag != DW_TAG_type_unit ? UNIT_SKELETON : UNIT_WHOLE;
	u->dwo_name = die_text(t, u, &d.at[DIE_DWO]);
	tell_directory(u, lines);
	return take_spans(t, u, &d, err);
}

/* ---- the table ------------------------------------------------------------------------------ */

static int dies_by_low(const void *a, const void *b)
{
	const struct unit_span *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int by_signature(const void *a, const void *b)
{
	const struct type_signature *x = a, *y = b;

	return x->signature < y->signature ? -1 : x->signature > y->signature;
}

static void sort_signatures(struct die_table *t)
{
	array_each(const struct die_unit, u, &t->units) {
		if (u->type_die)
			*array_add(&t->signatures) =
				(struct type_signature){u->signature, u->type_die};
	}
	array_sort(&t->signatures, by_signature);
}

uint64_t dies_signed(struct die_table *t, const struct die_unit *u, uint64_t signature)
{
	const struct type_signature key = {.signature = signature}, *found = NULL;

	if (t->signatures.count)
		found = bsearch(&key, t->signatures.items, t->signatures.count, sizeof(key),
				by_signature);
	if (found)
		return found->die;
	return u->is_dwo ? split_signed(t, u, signature) : 0;
}

static int read_headers(struct die_table *t, const struct die_source *in, struct error *err)
{
	struct cursor c = {.at = in->info.bytes, .end = in->info.bytes + in->info.size};
	struct pass pass = {c.at};

	while (c.at < c.end) {
		struct die_unit u;
		int answer = dies_header(t, in, &c, &u, err);

		if (answer < 0)
			return -1;
		if (answer)
			*array_add(&t->units) = u;
		pass_to(&pass, c.at);
	}
	return 0;
}

static int read_units(struct die_table *t, struct error *err)
{
	struct line_table *lines = lines_table(t->module, err);
	struct pass pass = {t->own.info.bytes};

	if (!lines || read_headers(t, &t->own, err) < 0)
		return -1;
	if (alternate_find(t, err) < 0 || (t->alt && read_headers(t, t->alt, err) < 0))
		return -1;
	array_each(struct die_unit, u, &t->units) {
		if (read_top(t, u, lines, err) < 0)
			return -1;
		if (u->in == &t->own)
			pass_to(&pass, dies_bytes(u, u->offset));
	}
	array_sort(&t->spans, dies_by_low);
	return 0;
}

const char *dies_keep(struct die_table *t, char *text)
{
	return *array_add(&t->strings) = text;
}

/* ---- units by DIE and by address ------------------------------------------------------------ */

struct die_unit *dies_unit_of(struct die_table *t, uint64_t die)
{
	size_t i;

	if (die >= SPLIT_START)
		return split_unit_of(t, die);
	i = array_upto(&t->units, place_end, die);
	if (i == t->units.count || die < t->units.items[i].first)
		return NULL;
	return &t->units.items[i];
}

struct die_unit *dies_unit_at(struct die_table *t, uint64_t offset)
{
	size_t i = array_upto(&t->spans, low, offset);

	/* Spans overlap only if the ranges of a unit are too wide: a few steps suffice. */
	for (size_t steps = 0; i-- > 0 && steps < 16; steps++) {
		if (offset < t->spans.items[i].high)
			return &t->units.items[t->spans.items[i].unit];
	}
	return NULL;
}

/* ---- construction, from the index or by reading --------------------------------------------- */

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
	bool kept = index_read(t);

	if (!kept && read_units(t, err) < 0)
		return -1;
	for (size_t i = 0; kept && i < t->units.count; i++)
		tell_directory(&t->units.items[i], t->module->lines);
	sort_signatures(t);
	if (!kept)
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
