/* Between the files of the index: its parts in the cache. Whoever changes one of these counts INDEX_FORMAT up. */
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
	bool tried; /* names were collected, in vain or not */
};

/* A line program of which a file has a base name with this hash; sorted. */
struct index_file {
	uint32_t hash, unit;
};

/* The units that have names with this hash: in the lists from `first` on, up to the next head's. Sorted, and
   with one behind the last. */
struct name_head {
	uint32_t hash, first;
};

/* A list is of units, each times two, plus one where a function of that name has code there. */
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

/* Keeps the tables, and the names if there are any (index_write.c). */
bool index_write(struct die_table *t, const struct index_names *names);

/* The units and line programs as they are kept (index_write.c). */
struct index_unit {
	uint64_t offset, end, first, abbrev_offset;
	uint64_t stmt_list, low;
	uint64_t str_base, addr_base, rnglists_base, loclists_base, ranges_base;
	uint64_t signature, type_die;
	uint64_t name, comp_dir; /* index_text */
	uint32_t language;
	uint8_t version, address_size, offset_size, type;
	uint8_t partial, has_stmt_list, is_gcc; /* 0 or 1 */
	uint8_t unused[5];
};

struct index_line {
	uint64_t stmt_list;
	uint32_t version, unused;
};

struct index_unit index_unit_of(const struct die_table *t, const struct die_unit *u);
/* False: it cannot be a unit of this file. */
bool index_unit_take(const struct die_table *t, const struct index_unit *from, struct die_unit *to);

#endif
