/* Between the files of dies: bytes, abbreviations and single DIEs (DWARF 5 standard, section 7.5).
 */
#ifndef GATECTL_DWARF_UNITS_DIES_READ_H
#define GATECTL_DWARF_UNITS_DIES_READ_H

#include "tracer/dwarf/cursor.h"
#include "tracer/dwarf/units/dies.h"

enum die_slot {
	DIE_NAME,
	DIE_LINKAGE,
	DIE_LOW,
	DIE_HIGH,
	DIE_RANGES,
	DIE_ENTRY,
	DIE_ORIGIN,
	DIE_DECL_FILE,
	DIE_DECL_LINE,
	DIE_CALL_FILE,
	DIE_CALL_LINE,
	DIE_DECLARATION,
	DIE_INLINE,
	DIE_EXPORT,
	DIE_LANGUAGE,
	DIE_STMT_LIST,
	DIE_COMP_DIR,
	DIE_PRODUCER,
	DIE_DWO,
	DIE_STR_BASE,
	DIE_ADDR_BASE,
	DIE_RNGLISTS_BASE,
	DIE_LOCLISTS_BASE,
	DIE_DWO_ID,
	DIE_RANGES_BASE,
	DIE_SIGNATURE,
	DIE_SLOTS,
	DIE_UNWANTED = DIE_SLOTS,
};

struct die {
	uint64_t offset;
	unsigned tag;	       /* 0: the end of a list of children */
	bool children, wanted; /* wanted: values are filled in */
	struct attr at[DIE_SLOTS];
};

struct abbrev_attr {
	uint16_t form, name;
	uint8_t slot;
	int8_t size;	  /* bytes of it in a DIE, or -1: it depends */
	int64_t constant; /* DW_FORM_implicit_const */
};

struct abbrev {
	uint64_t code;
	uint16_t tag;
	bool children, wanted;
	int32_t fixed; /* bytes of all attributes together, or -1: it depends */
	uint32_t first, count;
};

struct abbrevs {
	const struct die_source *in;
	uint64_t offset;
	uint8_t version, address_size, offset_size;
	bool sorted; /* codes rise: nearly always, and then mostly 1, 2, 3 ... */
	ARRAY(struct abbrev) list;
	ARRAY(struct abbrev_attr) attrs;
};

/* Reads one attribute. `out` is untouched where the form is unknown: the cursor is broken then. */
void attr_read(const struct abbrevs *abbrevs, const struct die_unit *u, struct cursor *c,
	       const struct abbrev_attr *attr, struct attr *out);
/* Passes over it. */
void attr_skip(const struct abbrevs *abbrevs, const struct die_unit *u, struct cursor *c,
	       const struct abbrev_attr *attr);
/* Reads the DIE at the cursor. Values are read only of tags that make scopes, and of every tag
   with `all`. 0, or -1 with an error. */
int die_read(struct die_table *t, struct die_unit *u, struct cursor *c, bool all, struct die *out,
	     struct error *err);
/* The first DIE of a unit, by as few abbreviations as that takes; all its values are read. */
int die_read_top(struct die_table *t, struct die_unit *u, struct die *out, struct error *err);

/* The unit's header at the cursor, which goes to the next one: 1 for a unit, 0 for padding, -1. */
int dies_header(struct die_table *t, const struct die_source *in, struct cursor *c,
		struct die_unit *u, struct error *err);
/* The DIE's own name; of a class whose members are here, but which stands in a type unit: its name there. */
const char *die_name(struct die_table *t, struct die_unit *u, const struct die *d);
/* Language, name and compiler, from the top DIE. */
void dies_take_names(struct die_table *t, struct die_unit *u, const struct die *d);
/* Type units of DWARF 4 have a section of their own; one piece of memory for both makes them units
   like all others. */
void dies_join_types(struct die_source *in, const struct section_data *types);

struct abbrevs *abbrevs_get(struct die_table *t, struct die_unit *u, struct error *err);
/* The same for one pass over the unit: the caller frees it. */
struct abbrevs *abbrevs_new(struct die_table *t, const struct die_unit *u, struct error *err);
void abbrevs_free(struct abbrevs *a);
bool abbrevs_serve(const struct abbrevs *a, const struct die_unit *u); /* are these the unit's? */
/* May functions of the unit be without code, because all of it is in copies? True also where that cannot
   be told. */
bool abbrevs_inline(struct die_table *t, const struct die_unit *u);
const struct abbrev *abbrev_find(const struct abbrevs *a, uint64_t code);
int abbrev_form_size(const struct abbrevs *a, unsigned form); /* -1: it depends, -2: unknown */
struct abbrevs *abbrevs_until(struct die_table *t, struct die_unit *u, uint64_t code,
			      struct error *err);

/* NULL where there is no such text */
const char *die_text(const struct die_table *t, const struct die_unit *u, const struct attr *a);
/* False where there is no such address. */
bool die_address(const struct die_table *t, const struct die_unit *u, const struct attr *a,
		 uint64_t *out);
uint64_t die_address_at(const struct die_table *t, const struct die_unit *u,
			uint64_t index); /* or 0 */
/* Where the list of this number begins in the section of lists; UINT64_MAX: there is none. */
uint64_t die_list_offset(const struct die_unit *u, const struct section_data *lists, uint64_t base,
			 uint64_t index);
/* Appends the DIE's code ranges to unit->ranges; how many. -1 with an error. */
int die_ranges(struct die_table *t, struct die_unit *u, const struct die *d, struct error *err);
int dies_broken(const struct die_table *t, struct error *err, const char *what, uint64_t offset);

/* ---- a list of ranges or of locations, entry by entry (lists.c) ------------------------------ */

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
