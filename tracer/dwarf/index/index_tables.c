/* A unit as it is kept, and back: each number that somebody will rely on is looked at. */
#include "tracer/dwarf/index/index_internal.h"

#include <string.h>

/* Texts stay where they are: which section, and where in it. */
enum { TEXT_NONE, TEXT_STR, TEXT_LINE_STR, TEXT_INFO };
#define TEXT_SHIFT 60

static const struct section_data *text_section(const struct die_source *in, unsigned which)
{
	switch (which) {
	case TEXT_STR:
		return &in->str;
	case TEXT_LINE_STR:
		return &in->line_str;
	case TEXT_INFO:
		return &in->info;
	default:
		return NULL;
	}
}

static uint64_t text_place(const struct die_source *in, const char *text)
{
	for (unsigned which = TEXT_STR; text && which <= TEXT_INFO; which++) {
		const struct section_data *s = text_section(in, which);
		const uint8_t *at = (const uint8_t *)text;

		if (at >= s->bytes && at < s->bytes + s->size)
			return (uint64_t)which << TEXT_SHIFT | (uint64_t)(at - s->bytes);
	}
	return TEXT_NONE;
}

static const char *text_at(const struct die_source *in, uint64_t place)
{
	const struct section_data *s = text_section(in, (unsigned)(place >> TEXT_SHIFT));
	uint64_t at = place & ((1ull << TEXT_SHIFT) - 1);

	if (!s || at >= s->size || !memchr(s->bytes + at, 0, s->size - at))
		return NULL;
	return (const char *)s->bytes + at;
}

struct index_unit index_unit_of(const struct die_table *t, const struct die_unit *u)
{
	return (struct index_unit){
		.offset = u->offset,
		.end = u->end,
		.first = u->first,
		.abbrev_offset = u->abbrev_offset,
		.stmt_list = u->stmt_list,
		.low = u->low,
		.str_base = u->str_base,
		.addr_base = u->addr_base,
		.rnglists_base = u->rnglists_base,
		.loclists_base = u->loclists_base,
		.ranges_base = u->ranges_base,
		.signature = u->signature,
		.type_die = u->type_die,
		.name = text_place(&t->own, u->name),
		.comp_dir = text_place(&t->own, u->comp_dir),
		.language = u->language,
		.version = u->version,
		.address_size = u->address_size,
		.offset_size = u->offset_size,
		.type = u->type,
		.partial = u->partial,
		.has_stmt_list = u->has_stmt_list,
		.has_low = u->has_low,
		.is_gcc = u->is_gcc,
	};
}

static bool is_possible(const struct die_table *t, const struct index_unit *from)
{
	return from->offset < from->first && from->first <= from->end &&
	       from->end <= t->own.info.size && from->version >= 2 && from->version <= 5 &&
	       (from->address_size == 4 || from->address_size == 8) &&
	       (from->offset_size == 4 || from->offset_size == 8) && from->type_die < from->end;
}

bool index_unit_take(const struct die_table *t, const struct index_unit *from, struct die_unit *to)
{
	if (!is_possible(t, from))
		return false;
	*to = (struct die_unit){
		.in = &t->own,
		.offset = from->offset,
		.end = from->end,
		.place_end = from->end,
		.first = from->first,
		.abbrev_offset = from->abbrev_offset,
		.version = from->version,
		.address_size = from->address_size,
		.offset_size = from->offset_size,
		.type = from->type,
		.partial = from->partial != 0,
		.ranges_base = from->ranges_base,
		.ref_base = t->own.start,
		.has_stmt_list = from->has_stmt_list != 0,
		.has_low = from->has_low != 0,
		.stmt_list = from->stmt_list,
		.low = from->low,
		.str_base = from->str_base,
		.addr_base = from->addr_base,
		.rnglists_base = from->rnglists_base,
		.loclists_base = from->loclists_base,
		.signature = from->signature,
		.type_die = from->type_die,
		.language = from->language,
		.name = text_at(&t->own, from->name),
		.comp_dir = text_at(&t->own, from->comp_dir),
		.is_gcc = from->is_gcc != 0,
	};
	return true;
}
