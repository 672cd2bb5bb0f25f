/* A list of ranges or of locations, entry by entry. */
#ifndef GATECTL_DWARF_UNITS_LISTS_H
#define GATECTL_DWARF_UNITS_LISTS_H

#include "tracer/dwarf/units/dies_read.h"

struct list_reader {
	const struct die_table *t;
	const struct die_unit *u;
	struct cursor c; /* broken: the list does not end */
	uint64_t base;
	bool locations, ended;
};

struct list_entry {
	uint64_t low, high;
	bool is_default;     /* wherever no other entry is */
	const uint8_t *code; /* of locations: the expression, in the section */
	size_t size;
};

struct list_reader list_begin(const struct die_table *t, const struct die_unit *u,
			      const struct section_data *section, uint64_t offset, bool locations);
/* False at the end of the list, and where it is broken. */
bool list_next(struct list_reader *r, struct list_entry *out);

#endif
