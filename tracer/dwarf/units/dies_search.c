/*
 * Finds units that may have a function of a name, without reading their DIEs: by places of the
 * text, and by places of its offset in .debug_info. Too many units are only slow; a missing one
 * would be an error.
 */
#include "tracer/dwarf/units/units.h"
#include "tracer/dwarf/index/index.h"
#include "tracer/elf/module.h"

#include <stdlib.h>
#include <string.h>

typedef void hit_function(struct die_table *t, uint64_t at, bool *marks);

/* Offsets of texts as .debug_info has them, with a filter over their low 16 bits. */
struct needles {
	ARRAY(uint32_t) values; /* sorted by needles_seal() */
	uint8_t filter[65536 / 8];
};

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool needles_have(const struct needles *n, uint32_t value)
{
	return bsearch(&value, n->values.items, n->values.count, sizeof(value), by_value) != NULL;
}

static void needles_seal(struct needles *n)
{
	array_sort(&n->values, by_value);
	array_each(const uint32_t, v, &n->values) {
		uint16_t low = (uint16_t)*v;

		n->filter[low >> 3] |= (uint8_t)(1 << (low & 7));
	}
}

/* Calls hit() for each place in the section, of any alignment, that has one of the values. */
static void needles_find(struct die_table *t, const struct needles *n, const struct section_data *s,
			 hit_function *hit, bool *marks)
{
	struct pass pass = {s->bytes};

	for (size_t i = 0; s->bytes && i + 4 <= s->size; i++) {
		uint16_t low;
		uint32_t value;

		if (i % 4096 == 0)
			pass_to(&pass, s->bytes + i);
		memcpy(&low, s->bytes + i, 2);
		if (!(n->filter[low >> 3] & 1 << (low & 7)))
			continue;
		memcpy(&value, s->bytes + i, 4);
		if (needles_have(n, value))
			hit(t, i, marks);
	}
}

/* Searches a single value: memmem is several times faster than the filter. */
static void value_find(struct die_table *t, uint32_t value, const struct section_data *s,
		       hit_function *hit, bool *marks)
{
	const uint8_t *at = s->bytes, *end = s->bytes + s->size;
	struct pass pass = {at};

	while (at && (at = pass_find(&pass, at, end, &value, 4))) {
		hit(t, (uint64_t)(at - s->bytes), marks);
		at++;
	}
}

static void dies_search_search(struct die_table *t, const struct needles *n,
			       const struct section_data *s, hit_function *hit, bool *marks)
{
	if (n->values.count > 4) {
		needles_find(t, n, s, hit, marks);
		return;
	}
	array_each(const uint32_t, v, &n->values)
		value_find(t, *v, s, hit, marks);
}

/* ---- units of a place ----------------------------------------------------------------------- */

static void hit_info(struct die_table *t, uint64_t at, bool *marks)
{
	const struct die_unit *u = dies_unit_of(t, at);

	if (u)
		marks[u - t->units.items] = true;
}

/* Marks the units with the greatest base before a place in .debug_str_offsets: it is theirs. */
static void hit_str_offsets(struct die_table *t, uint64_t at, bool *marks)
{
	uint64_t best = 0;

	array_each(const struct die_unit, u, &t->units) {
		if (u->version >= 5 && u->str_base <= at && u->str_base > best)
			best = u->str_base;
	}
	array_each(const struct die_unit, u, &t->units) {
		if (u->version >= 5 && u->str_base == best)
			marks[u - t->units.items] = true;
	}
}

enum { DIES_NAMED = 64 };

/* ---- texts ---------------------------------------------------------------------------------- */

/* Finds texts that are `name`, also followed by template arguments or [abi:...]. The linker may
   make a text the tail of another, so any byte may precede it, unless `name` is also a text of its
   own. */
static void find_texts(const struct section_data *s, const char *name, struct needles *n)
{
	size_t length = strlen(name);
	const uint8_t *at = s->bytes, *end = s->bytes + s->size;
	struct pass pass = {at};
	bool own = false;

	while (at && (at = pass_find(&pass, at, end, name, length))) {
		uint8_t behind = at + length < end ? at[length] : 'x';
		bool first = at == s->bytes || at[-1] == 0;

		if (behind == '<' || behind == '[' || (behind == 0 && first))
			*array_add(&n->values) = (uint32_t)(at - s->bytes);
		own = own || (behind == 0 && first);
		at++;
	}
	at = pass.from = own ? NULL : s->bytes;
	while (at && (at = pass_find(&pass, at, end, name, length + 1))) {
		*array_add(&n->values) = (uint32_t)(at - s->bytes);
		at++;
	}
}

/* Short names are in .debug_info itself. */
static void find_in_info(struct die_table *t, const struct die_source *in, const char *name,
			 bool *marks)
{
	size_t length = strlen(name);
	const uint8_t *at = in->info.bytes, *end = in->info.bytes + in->info.size;
	struct pass pass = {at};

	while (at && (at = pass_find(&pass, at, end, name, length))) {
		if (at + length < end && strchr("<[", at[length]))
			hit_info(t, in->start + (uint64_t)(at - in->info.bytes), marks);
		at++;
	}
}

/* Marks units of both files: a text of the alternate file may be the name of a DIE there or in the
   module. */
static void find_in_alternate(struct die_table *t, struct needles *n, const char *name, bool *marks)
{
	n->values.count = 0;
	find_texts(&t->alt->str, name, n);
	needles_seal(n);
	dies_search_search(t, n, &t->own.info, hit_info, marks);
	find_in_info(t, t->alt, name, marks);
	for (size_t i = 0; n->values.count && i < t->units.count; i++)
		if (t->units.items[i].in == t->alt)
			marks[i] = true;
}

static void find_named(struct die_table *t, const char *name, bool *marks)
{
	struct needles *n;

	if (index_mark_named(t, name, false, marks))
		return;
	n = base_alloc(1, sizeof(*n));

	find_texts(&t->own.str, name, n);
	needles_seal(n);
	dies_search_search(t, n, &t->own.info, hit_info, marks);
	dies_search_search(t, n, &t->own.str_offsets, hit_str_offsets, marks);
	find_in_info(t, &t->own, name, marks);
	if (t->alt)
		find_in_alternate(t, n, name, marks);
	array_each(struct die_unit, u, &t->units)
		if (u->split && split_contains(t, u, name))
			marks[u - t->units.items] = true;
	array_fini(&n->values);
	base_free(n);
}

/* Returns the marks of a name that was searched before, or NULL. */
static const bool *known_marks(const struct die_table *t, const char *name)
{
	array_each(const struct die_named, n, &t->named) {
		if (strcmp(n->name, name) == 0)
			return n->marks;
	}
	return NULL;
}

void dies_mark_named(struct die_table *t, const char *name, bool *marks)
{
	const bool *known = known_marks(t, name);
	bool *found = NULL;

	if (!*name)
		return;
	if (!known) {
		known = found = base_alloc(t->units.count + 1, sizeof(*found));
		find_named(t, name, found);
	}
	for (size_t i = 0; i < t->units.count; i++)
		marks[i] |= known[i];
	if (found && t->named.count < DIES_NAMED)
		*array_add(&t->named) = (struct die_named){base_strdup(name), found};
	else
		base_free(found);
}

/* True if .debug_abbrev has DW_AT_abstract_origin or DW_AT_specification with DW_FORM_ref_addr, or
   if there is an alternate file, which other forms refer to. */
static bool refers_across_units(const struct die_table *t)
{
	const struct section_data *s = &t->own.abbrev;

	return t->alt || (s->bytes && (memmem(s->bytes, s->size, "\x31\x10", 2) ||
				       memmem(s->bytes, s->size, "\x47\x10", 2)));
}

void dies_mark_functions(struct die_table *t, const char *name, bool *marks)
{
	if (!index_mark_named(t, name, true, marks))
		dies_mark_named(t, name, marks);
}

void dies_mark_referring(struct die_table *t, const uint64_t *dies, size_t count, bool *marks)
{
	if (count && refers_across_units(t))
		dies_mark_importing(t, dies, count, marks);
}

void dies_mark_importing(struct die_table *t, const uint64_t *dies, size_t count, bool *marks)
{
	struct needles *n;

	if (!count)
		return;
	n = base_alloc(1, sizeof(*n));
	for (size_t i = 0; i < count; i++)
		*array_add(&n->values) = (uint32_t)dies[i];
	needles_seal(n);
	dies_search_search(t, n, &t->own.info, hit_info, marks);
	array_fini(&n->values);
	base_free(n);
}
