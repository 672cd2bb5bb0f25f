/* Between the files of dies: bytes, abbreviations and single DIEs (DWARF 5 standard, section 7.5).
 */
#ifndef GATECTL_SYMBOLS_DIES_READ_H
#define GATECTL_SYMBOLS_DIES_READ_H

#include "tracer/symbols/cursor.h"
#include "tracer/symbols/dies.h"

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
	DIE_SLOTS,
	DIE_UNWANTED = DIE_SLOTS,
};

struct die_value {
	uint64_t number;  /* constant, address, offset or index as the form has it; references are
			     offsets in .debug_info */
	uint16_t form;	  /* 0: the DIE has no such attribute */
	const char *text; /* DW_FORM_string */
};

struct die {
	uint64_t offset;
	unsigned tag;	       /* 0: the end of a list of children */
	bool children, wanted; /* wanted: values are filled in */
	struct die_value at[DIE_SLOTS];
};

struct abbrev_attr {
	uint16_t form, name;
	uint8_t slot;
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
	uint64_t offset;
	uint8_t version, address_size, offset_size;
	bool sorted; /* codes rise: nearly always, and then mostly 1, 2, 3 ... */
	ARRAY(struct abbrev) list;
	ARRAY(struct abbrev_attr) attrs;
};

/* Reads the DIE at the cursor. Values are read only of tags that make scopes, and of every tag
   with `all`. 0, or -1 with an error. */
int die_read(struct die_table *t, struct die_unit *u, struct cursor *c, bool all, struct die *out,
	     struct error *err);
/* The first DIE of a unit, by as few abbreviations as that takes; all its values are read. */
int die_read_top(struct die_table *t, struct die_unit *u, struct die *out, struct error *err);

struct abbrevs *abbrevs_get(struct die_table *t, struct die_unit *u, struct error *err);
void abbrevs_free(struct abbrevs *a);
const struct abbrev *abbrev_find(const struct abbrevs *a, uint64_t code);
int abbrev_form_size(const struct abbrevs *a, unsigned form); /* -1: it depends, -2: unknown */
struct abbrevs *abbrevs_until(struct die_table *t, struct die_unit *u, uint64_t code,
			      struct error *err);

/* NULL where there is no such text */
const char *die_text(const struct die_table *t, const struct die_unit *u,
		     const struct die_value *v);
/* False where there is no such address. */
bool die_address(const struct die_table *t, const struct die_unit *u, const struct die_value *v,
		 uint64_t *out);
/* Appends the DIE's code ranges to unit->ranges; how many. -1 with an error. */
int die_ranges(struct die_table *t, struct die_unit *u, const struct die *d, struct error *err);
int dies_broken(const struct die_table *t, struct error *err, const char *what, uint64_t offset);

#endif
