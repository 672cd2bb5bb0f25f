/*
 * One entry of .debug_info with everything that it says (DWARF 5 standard, chapters 2 and 7.5).
 * dies.h reads the scopes of a whole unit fast; this reads single entries, when a question asks.
 */
#ifndef GATECTL_DWARF_UNITS_ENTRIES_H
#define GATECTL_DWARF_UNITS_ENTRIES_H

#include "tracer/dwarf/units/dies.h"

enum { ENTRY_ATTRS = 40 };

struct entry {
	struct die_table *table;
	struct die_unit *unit;
	uint64_t offset;
	uint64_t next; /* of the entry that follows: its first child where it has `children` */
	unsigned tag;  /* DW_TAG_*; 0: the end of a list of children */
	bool children;
	unsigned count;
	/* Indexes are looked up: addresses are always DW_FORM_addr, lists DW_FORM_sec_offset (of DWARF
	   2 and 3 data4 or data8), types with a signature an offset in .debug_info, 0 where there is
	   none. Further attributes are left out. */
	struct attr at[ENTRY_ATTRS];
};

/* The entry at this offset of .debug_info. 0, or -1 with ERROR_OBJECT. */
int entry_read(struct die_table *t, uint64_t offset, struct entry *out, struct error *err);

/* The child of `of` at *next, 0: the first one; *next is that of the child after it. 1, 0 at the end,
   or -1. */
int entry_child(const struct entry *of, uint64_t *next, struct entry *out, struct error *err);
/* Where the entry that follows this one and its children is. */
int entry_skip(const struct entry *e, uint64_t *next, struct error *err);

const struct attr *entry_attr(const struct entry *e, unsigned name); /* NULL: it has none */
const char *entry_text(const struct entry *e, unsigned name);	     /* NULL */
bool entry_number(const struct entry *e, unsigned name, uint64_t *out);
bool entry_flag(const struct entry *e, unsigned name);
uint64_t entry_ref(const struct entry *e, unsigned name); /* 0: none */

/* The attribute here, or at the end of the chain of abstract origins and specifications. The entry
   that has it goes to *holder. NULL: nowhere. */
const struct attr *entry_inherited(const struct entry *e, unsigned name, struct entry *holder,
				   struct error *err);

#endif
