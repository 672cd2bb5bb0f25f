/* Parts of the index in the cache. INDEX_FORMAT is incremented when a struct changes. */
#ifndef GATECTL_DWARF_INDEX_INDEX_INTERNAL_H
#define GATECTL_DWARF_INDEX_INDEX_INTERNAL_H

#include "tracer/base/hash.h"
#include "tracer/cache/cache.h"
#include "tracer/dwarf/index/index.h"

enum index_part { INDEX_UNITS, INDEX_SPANS, INDEX_LINES, INDEX_FILES, INDEX_HEADS, INDEX_LISTS };
enum { INDEX_PARTS = INDEX_LISTS + 1 };

struct dwarf_index {
	struct cache *cache; /* NULL: nothing is kept yet */
	char name[CACHE_NAME];
	bool tried; /* the collection of names was tried */
};

/* A line program that has a file whose base name has this hash. Sorted by hash. */
struct index_file {
	uint32_t hash, unit;
};

/* Units with names of this hash: entries of the lists from `first` on, up to the next head's.
   Sorted by hash, with one more head after the last. */
struct name_head {
	uint32_t hash, first;
};

/* An entry of a list: twice the unit, plus one if a function of that name has code there. */
#define INDEX_UNIT(unit, functions) ((uint32_t)(unit) << 1 | (functions))

struct index_names {
	ARRAY(struct name_head) heads;
	ARRAY(uint32_t) lists;
};

static inline uint32_t index_hash(const char *text)
{
	uint32_t hash = HASH_NARROW_START;

	while (*text)
		hash = hash_narrow(hash, *text++);
	return hash;
}

/* Writes the tables, and the names unless that is NULL. Returns false if nothing was kept.
   (index_write.c) */
bool index_write(struct die_table *t, const struct index_names *names);

/* A unit as it is kept. (index_write.c) */
struct index_unit {
	uint64_t offset, end, first, abbrev_offset;
	uint64_t stmt_list, low;
	uint64_t str_base, addr_base, rnglists_base, loclists_base, ranges_base;
	uint64_t signature, type_die;
	uint64_t name, comp_dir; /* places of texts: text_place() */
	uint32_t language;
	uint8_t version, address_size, offset_size, type;
	uint8_t partial, has_stmt_list, is_gcc; /* 0 or 1 */
	uint8_t unused[5];
};

struct index_line {
	uint64_t stmt_list;
	uint32_t version, unused;
};

/* Returns the unit as it is kept. */
struct index_unit index_unit_of(const struct die_table *t, const struct die_unit *u);
/* Makes a unit of what was kept. Returns false if it cannot be a unit of this file. */
bool index_unit_take(const struct die_table *t, const struct index_unit *from, struct die_unit *to);

#endif
