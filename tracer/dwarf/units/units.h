/*
 * Units, functions and their inlined copies from .debug_info (DWARF 2 to 5), and single DIEs. See
 * tracer/dwarf/README.md. Corrupt input is an error that names the file and the offset, never a
 * crash. Split DWARF (.dwo, .dwp) and alternate files (dwz) are further sources of the same table.
 */
#ifndef GATECTL_DWARF_UNITS_UNITS_H
#define GATECTL_DWARF_UNITS_UNITS_H

#include "tracer/dwarf/lines/lines.h"
#include "tracer/elf/module.h"
#include "tracer/dwarf/cursor.h"

/* Distance between the DIE numbers of two sources. The alternate file follows the module's own. */
#define DIES_SOURCE (1ull << 40)

/* An attribute, decoded by its form. */
struct attr {
	/* constant, flag, address, offset or index; a reference is an offset in .debug_info */
	uint64_t number;
	/* exprloc and blocks, data16, the text of DW_FORM_string; else NULL */
	const uint8_t *block;
	uint32_t size;	     /* of `block` */
	uint16_t form, name; /* DW_FORM_* (0: the DIE has no such attribute) and DW_AT_* */
};

#define SCOPE_NONE UINT32_MAX
#define FILE_NONE  UINT32_MAX /* no DW_AT_decl_file or _call_file; 0 is a file of version 5 */

enum scope_kind {
	SCOPE_SPACE,	/* namespace or class: qualifies the names inside it */
	SCOPE_FUNCTION, /* with code, abstract, or only declared */
	SCOPE_INLINED,	/* a copy of a function inlined into another one */
};

struct scope {
	enum scope_kind kind;
	unsigned tag;	  /* DW_TAG_* */
	bool declaration; /* DW_AT_declaration */
	bool abstract;	  /* DW_AT_inline: code only in inlined copies */
	bool silent; /* not written in names: an inline or anonymous namespace, an unnamed class */
	uint64_t offset;      /* of its DIE in .debug_info */
	uint64_t origin;      /* DW_AT_abstract_origin or DW_AT_specification; 0: none */
	uint32_t parent, end; /* indexes: the enclosing scope, and one past the last descendant */
	const char *name, *linkage;    /* its own; NULL: the origin's */
	unsigned decl_file, decl_line; /* as in the DIE; FILE_NONE, 0: the origin's */
	unsigned call_file, call_line; /* SCOPE_INLINED */
	bool has_entry;
	uint64_t entry; /* DW_AT_entry_pc */
	/* in die_unit.ranges; without ranges that the linker dropped */
	uint32_t first_range, range_count;
	const char *qualified; /* made by function_name(), owned by the table; NULL: not yet */
	const char *spoken;    /* without silent scopes; may be the same text */
	const char *shown;     /* name in backtraces (backtrace.c); NULL: not yet */
};

/* A range of a concrete function. */
struct scope_span {
	uint64_t low, high;
	uint32_t scope;
};

struct abbrevs;
struct split_table;

/*
 * A file with units, as the sections that they refer to. A DIE's number is its offset in
 * .debug_info, plus `start`, so that it is unique in all files of the table. For .dwo and .dwp the
 * sections are those with that suffix (split.c).
 */
struct die_source {
	uint64_t start;
	struct section_data info, abbrev, str, line_str, str_offsets, rnglists;
	struct section_data loclists, loc; /* only of .dwo and .dwp */
	uint64_t types_from;		   /* offset of .debug_types in info */
	uint8_t *joined; /* owns .debug_info and .debug_types of DWARF 4, joined */
};

/* Place of a unit's DIEs. */
enum unit_split {
	UNIT_WHOLE,    /* in this unit */
	UNIT_SKELETON, /* in a .dwo file that is not open yet */
	UNIT_JOINED,   /* in a .dwo file: all but the ranges and bases is from there */
	UNIT_MISSING,  /* in a .dwo file that does not exist: no DIEs */
};

struct die_unit {
	const struct die_source *in;
	uint64_t offset, end; /* from its header to the next one, in .debug_info */
	/* end of the skeleton if the unit is joined, else equal to `end` (split.c) */
	uint64_t place_end;
	uint64_t first; /* offset of its top DIE */
	uint64_t abbrev_offset;
	uint8_t version, address_size, offset_size, type;
	enum unit_split split;
	bool partial; /* made by dwz of DIEs that several units share and import */
	bool is_dwo;  /* from a .dwo file: its range and location lists are there too */
	uint64_t dwo_id;
	const char *dwo_name;
	uint64_t ranges_base; /* DW_AT_GNU_ranges_base */
	uint64_t ref_base;    /* base of offsets in "the .debug_info" */
	uint64_t loc_base;    /* in a .dwp: start of its part of .debug_loc.dwo */
	bool has_stmt_list;
	uint64_t stmt_list;
	uint64_t low; /* DW_AT_low_pc, or 0: base of its lists */
	uint64_t str_base, addr_base, rnglists_base, loclists_base;
	uint64_t signature, type_die; /* type unit: signature and DIE of the type; 0: none */
	unsigned language;
	const char *name, *comp_dir;
	bool is_gcc; /* compiled by gcc: DW_AT_producer */

	struct abbrevs *abbrevs;    /* the table owns it; NULL: not read yet */
	bool loaded;		    /* the members below are valid */
	ARRAY(struct scope) scopes; /* in the order of DIEs: parents before children */
	ARRAY(struct module_range) ranges;
	ARRAY(struct scope_span) spans; /* sorted by low */
	bool calls_known;
	ARRAY(struct scope_call) calls; /* made by dies_calls() */
};

/* An inlined copy that has code, and the line of its call. */
struct scope_call {
	unsigned line;
	uint32_t scope;
};

struct unit_span {
	uint64_t low, high;
	uint32_t unit;
};

struct type_signature {
	uint64_t signature, die;
};

struct dwarf_index;    /* index.h */
struct function_index; /* functions_index.c */
struct type_table;     /* types.c */
struct variable_table; /* variables.h */

/* Result of dies_mark_named() for a name, kept because scripts repeat few names. */
struct die_named {
	char *name;
	bool *marks; /* by unit */
};

struct die_table {
	struct module *module;
	struct die_source own;
	struct section_data addr, ranges;
	struct die_source *alt;	      /* .gnu_debugaltlink; NULL: none (alternate.c) */
	char *alt_missing;	      /* alternate file that was not found; owned */
	struct split_table *split;    /* .dwo files and .dwp; NULL: not used yet (split.c) */
	ARRAY(struct die_unit) units; /* sorted by offset */
	ARRAY(struct type_signature) signatures; /* sorted */
	ARRAY(struct abbrevs *) abbrevs;
	struct abbrevs *top_abbrevs;   /* as far as the last top DIE needed them */
	ARRAY(struct unit_span) spans; /* code of the units, sorted by low */
	ARRAY(char *) strings;	       /* owned for other files: dies_keep() */
	ARRAY(struct die_named) named; /* at most DIES_NAMED */
	struct dwarf_index *kept;      /* index of an earlier run or for the next one; NULL: none */
	struct function_index *index;  /* NULL: not made yet */
	struct type_table *types;      /* NULL: not made yet */
	struct variable_table *variables; /* NULL: not made yet */
	struct cleanups cleanups;	  /* for tables that other folders attach */
};

/* A scope and its unit; scope is NULL if there is none. */
struct scope_ref {
	struct die_unit *unit;
	struct scope *scope;
};

/* Returns the module's table, made on first use; without .debug_info it has no units. It also gives
   line programs of DWARF 2 to 4 their directory. Returns NULL with *err set to ERROR_OBJECT. */
struct die_table *dies_table(struct module *m, struct error *err);

/* Reads the scopes of a unit. Returns 0, or -1 with *err set to ERROR_OBJECT. */
int dies_load(struct die_table *t, struct die_unit *u, struct error *err);

/* Frees the scopes of a unit that was loaded for one search. No pointer to them may be left. */
void dies_unload(struct die_unit *u);

/* Returns the unit that has the DIE with this number, or NULL. */
struct die_unit *dies_unit_of(struct die_table *t, uint64_t die);

/* Returns the unit whose code holds this offset of the module, or NULL with *err unchanged. */
struct die_unit *dies_unit_at(struct die_table *t, uint64_t offset);

/* Finds the concrete function that holds the offset; its unit is loaded. out->scope is NULL if
   there is none. Returns 0, or -1 with *err set. */
int dies_function_at(struct die_table *t, uint64_t offset, struct scope_ref *out,
		     struct error *err);

/* True if the scope has code. Of a copy that the compiler merged into its neighbours only the entry
   is known. */
bool dies_has_code(const struct scope *s);
/* True if the scope's code holds the offset. A copy without ranges holds its entry only. */
bool dies_covers(const struct die_unit *u, const struct scope *s, uint64_t offset);

/* Finds the scope's abstract origin or specification; out->scope is NULL at the end of the chain.
   Returns 0, or -1 with *err set. */
int dies_origin(struct die_table *t, struct scope_ref of, struct scope_ref *out, struct error *err);

/* Returns the inlined copies in this loaded unit whose calls are on the line, in the order of DIEs.
   The unit owns them. (dies_scopes.c) */
const struct scope_call *dies_calls(struct die_unit *u, unsigned line, size_t *count);

/* Returns the scope of this DIE in a loaded unit, or NULL if it is no scope. */
struct scope *dies_scope_of(struct die_unit *u, uint64_t die);

/* Sets marks[unit] of units that may have a function of this name (without template arguments). */
void dies_mark_named(struct die_table *t, const char *name, bool *marks);
/* Sets marks[unit] as dies_mark_named() does, without units that only declare the function, as far
   as that is known. A function counts if it has code, or is in an inlined copy. */
void dies_mark_functions(struct die_table *t, const char *name, bool *marks);
/* Sets marks[unit] of units that may refer to one of these DIEs of other units, as after link-time
   optimisation. */
void dies_mark_referring(struct die_table *t, const uint64_t *dies, size_t count, bool *marks);
/* Sets marks[unit] of units that import one of these partial units, given by their top DIEs. */
void dies_mark_importing(struct die_table *t, const uint64_t *dies, size_t count, bool *marks);

/* Returns the DIE of the type with this signature (DW_FORM_ref_sig8 in unit `u`), or 0. */
uint64_t dies_signed(struct die_table *t, const struct die_unit *u, uint64_t signature);

/* Returns the bytes of a DIE of the unit. */
static inline const uint8_t *dies_bytes(const struct die_unit *u, uint64_t die)
{
	return u->in->info.bytes + (die - u->in->start);
}

static inline uint64_t dies_offset(const struct die_unit *u, const uint8_t *at)
{
	return u->in->start + (uint64_t)(at - u->in->info.bytes);
}

/* Keeps a string that the table then owns, and returns it. */
const char *dies_keep(struct die_table *t, char *text);

/* ---- bytes, abbreviations and DIEs (DWARF 5, 7.5); for this folder and tracer/dwarf/index --- */

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
	bool children, wanted; /* wanted: the attributes are read */
	struct attr at[DIE_SLOTS];
};

struct abbrev_attr {
	uint16_t form, name;
	uint8_t slot;
	int8_t size;	  /* bytes in a DIE; -1: varies */
	int64_t constant; /* DW_FORM_implicit_const */
};

struct abbrev {
	uint64_t code;
	uint16_t tag;
	bool children, wanted;
	int32_t fixed; /* bytes of all attributes; -1: varies */
	uint32_t first, count;
};

struct abbrevs {
	const struct die_source *in;
	uint64_t offset;
	uint8_t version, address_size, offset_size;
	bool sorted; /* codes increase, as nearly always; mostly they are 1, 2, 3 ... */
	ARRAY(struct abbrev) list;
	ARRAY(struct abbrev_attr) attrs;
};

/* Reads one attribute. An unknown form breaks the cursor and leaves *out unchanged. */
void attr_read(const struct abbrevs *abbrevs, const struct die_unit *u, struct cursor *c,
	       const struct abbrev_attr *attr, struct attr *out);
/* Skips one attribute. */
void attr_skip(const struct abbrevs *abbrevs, const struct die_unit *u, struct cursor *c,
	       const struct abbrev_attr *attr);
/* Reads the DIE at the cursor, with its attributes if its tag makes a scope or `all` is set.
   Returns 0, or -1 with *err set. */
int die_read(struct die_table *t, struct die_unit *u, struct cursor *c, bool all, struct die *out,
	     struct error *err);
/* Reads the first DIE of a unit with all attributes, by as few abbreviations as possible. Returns
   0, or -1 with *err set. */
int die_read_top(struct die_table *t, struct die_unit *u, struct die *out, struct error *err);

/* Reads the unit's header at the cursor, which moves to the next one. Returns 1, 0 for padding, or
   -1 with *err set. */
int dies_header(struct die_table *t, const struct die_source *in, struct cursor *c,
		struct die_unit *u, struct error *err);
/* Returns the DIE's name, or that of its type in a type unit if the DIE only adds members to it;
   NULL: none. */
const char *die_name(struct die_table *t, struct die_unit *u, const struct die *d);
/* Takes language, name and compiler from the top DIE. */
void dies_take_names(struct die_table *t, struct die_unit *u, const struct die *d);
/* Appends .debug_types, where DWARF 4 has type units, to .debug_info: type units are then ordinary
   units. */
void dies_join_types(struct die_source *in, const struct section_data *types);

/* Returns the unit's abbreviations, which the table owns; a skeleton is joined first. Returns NULL
   with *err set. */
struct abbrevs *abbrevs_get(struct die_table *t, struct die_unit *u, struct error *err);
/* Reads the unit's abbreviations for one pass; the caller frees them. Returns NULL with *err
   set. */
struct abbrevs *abbrevs_new(struct die_table *t, const struct die_unit *u, struct error *err);
void abbrevs_free(struct abbrevs *a); /* Frees abbreviations that abbrevs_new() has returned. */
/* True if these are the unit's abbreviations. */
bool abbrevs_serve(const struct abbrevs *a, const struct die_unit *u);
/* True if functions of the unit may have code only in inlined copies, or if that is unknown. */
bool abbrevs_inline(struct die_table *t, const struct die_unit *u);
/* Returns the abbreviation with this code, or NULL. */
const struct abbrev *abbrev_find(const struct abbrevs *a, uint64_t code);
/* Returns the size of the form in bytes, -1 if it varies, or -2 if the form is unknown. */
int abbrev_form_size(const struct abbrevs *a, unsigned form);
/* Returns the unit's abbreviations up to the one with this code. The table owns them, until the
   next call. Returns NULL with *err set. */
struct abbrevs *abbrevs_until(struct die_table *t, struct die_unit *u, uint64_t code,
			      struct error *err);

/* Returns the text of an attribute, or NULL if there is none. */
const char *die_text(const struct die_table *t, const struct die_unit *u, const struct attr *a);
/* Reads the address of an attribute. Returns false if there is none. */
bool die_address(const struct die_table *t, const struct die_unit *u, const struct attr *a,
		 uint64_t *out);
/* Returns an address of .debug_addr by its index, or 0. */
uint64_t die_address_at(const struct die_table *t, const struct die_unit *u, uint64_t index);
/* Returns the offset of the list with this index in its section, or UINT64_MAX. */
uint64_t die_list_offset(const struct die_unit *u, const struct section_data *lists, uint64_t base,
			 uint64_t index);
/* Appends the DIE's code ranges to u->ranges. Returns their count, or -1 with *err set. */
int die_ranges(struct die_table *t, struct die_unit *u, const struct die *d, struct error *err);
/* Sets the error "broken debug information: WHAT at OFFSET". Returns -1. */
int dies_broken(const struct die_table *t, struct error *err, const char *what, uint64_t offset);

/* ---- lists of ranges and of locations (lists.c) --------------------------------------------- */

struct list_reader {
	const struct die_table *t;
	const struct die_unit *u;
	struct cursor c; /* broken: the list does not end */
	uint64_t base;
	bool locations, ended;
};

struct list_entry {
	uint64_t low, high;
	bool is_default;     /* valid where no other entry is */
	const uint8_t *code; /* location list: the expression, in the section */
	size_t size;
};

/* Starts to read the list at this offset of the section. */
struct list_reader list_begin(const struct die_table *t, const struct die_unit *u,
			      const struct section_data *section, uint64_t offset, bool locations);
/* Reads the next entry. Returns false at the end of the list, and if it is broken. */
bool list_next(struct list_reader *r, struct list_entry *out);

/* ---- split DWARF and alternate files (split.c, alternate.c); see tracer/dwarf/README.md ----- */

/* First number of DIEs of .dwo and .dwp files. DIES_SOURCE is that of the alternate file. */
#define SPLIT_START (2 * DIES_SOURCE)

/* Replaces a skeleton by its unit in a .dwo or .dwp file, or makes it UNIT_MISSING. Returns 0, or
   -1 with *err set if the file is broken or of another build. */
int split_join(struct die_table *t, struct die_unit *u, struct error *err);
/* Returns the unit of a .dwo or .dwp file that has this DIE, or NULL. */
struct die_unit *split_unit_of(struct die_table *t, uint64_t die);
/* Returns the DIE of the type with this signature in the file that `u` is in, or 0. */
uint64_t split_signed(struct die_table *t, const struct die_unit *u, uint64_t signature);
/* Calls visit() for all type units of open .dwo files and of the package that may have the name,
   until it does not return 0. Returns its last result. */
int split_each_type(struct die_table *t, const char *name,
		    int (*visit)(struct die_table *t, struct die_unit *u, void *ctx,
				 struct error *err),
		    void *ctx, struct error *err);
/* True if a function or variable of this name may be in the split unit. */
bool split_contains(struct die_table *t, struct die_unit *u, const char *name);
/* Sets an error about `what` if the code at the offset is of a unit whose .dwo file is missing.
   Returns false, with *err unchanged, if it is not. */
bool split_explain(struct die_table *t, uint64_t offset, const char *what, struct error *err);
/* Sets an error about `what` if a .dwo file of any unit is missing. Returns false, with *err
   unchanged, if none is. */
bool split_explain_any(struct die_table *t, const char *what, struct error *err);
void split_free(struct split_table *s); /* Frees the table; NULL is allowed. */

/* Sets t->alt or t->alt_missing if the module names an alternate file. Returns 0, or -1 with *err
   set if the file is broken. */
int alternate_find(struct die_table *t, struct error *err);
/* Sets an error about `what` if the alternate file is missing. Returns false, with *err unchanged,
   if it is not. */
bool alternate_explain(const struct die_table *t, const char *what, struct error *err);
void alternate_free(struct die_source *alt); /* Frees the file; NULL is allowed. */

/* ---- files (alternate.c) -------------------------------------------------------------------- */

struct die_file {
	struct die_source source; /* first, because alternate_free() gets it */
	struct elf_file file;
	ARRAY(struct die_unit *) units; /* of a split file, sorted by offset */
	ARRAY(struct die_unit *) made;	/* type units among them, which have no skeleton; owned */
	bool all_made;			/* .dwp: all type units of the index are made */
	struct section_data cu_index, tu_index; /* of a .dwp */
};

/* Opens an ELF file whose sections have this suffix (".dwo" or ""). Returns NULL if it does not
   exist, or with *broken and *err set if it cannot be read. die_file_free() frees it. */
struct die_file *die_file_open(const char *path, uint64_t start, const char *suffix, bool *broken,
			       struct error *err);
/* Closes and frees a file; NULL is allowed. */
void die_file_free(struct die_file *f);

/* ---- single DIEs with all their attributes (entries.c) -------------------------------------- */

enum { ENTRY_ATTRS = 40 };

struct entry {
	struct die_table *table;
	struct die_unit *unit;
	uint64_t offset;
	uint64_t next; /* the next DIE: its first child if it has children */
	unsigned tag;  /* DW_TAG_*; 0: the end of a list of children */
	bool children;
	unsigned count;
	/* Indexes are resolved: addresses are DW_FORM_addr, lists DW_FORM_sec_offset (data4 or
	   data8 in DWARF 2 and 3). A type's signature is replaced by its DIE, 0 if there is none.
	   Attributes beyond ENTRY_ATTRS are left out. */
	struct attr at[ENTRY_ATTRS];
};

/* Reads the DIE at this offset of .debug_info. Returns 0, or -1 with *err set to ERROR_OBJECT. */
int entry_read(struct die_table *t, uint64_t offset, struct entry *out, struct error *err);

/* Reads the child of `of` at *next (0: the first one) and sets *next to the child after it. Returns
   1, 0 at the end, or -1 with *err set. */
int entry_child(const struct entry *of, uint64_t *next, struct entry *out, struct error *err);
/* Finds the DIE after this one and its children. Returns 0, or -1 with *err set. */
int entry_skip(const struct entry *e, uint64_t *next, struct error *err);

/* Returns the attribute, or NULL if the DIE does not have it. */
const struct attr *entry_attr(const struct entry *e, unsigned name);
/* Returns the text of an attribute, or NULL if there is none. */
const char *entry_text(const struct entry *e, unsigned name);
/* Reads an attribute that is a number. Returns false if the DIE lacks it or it is a block. */
bool entry_number(const struct entry *e, unsigned name, uint64_t *out);
/* True if the flag is present and set. */
bool entry_flag(const struct entry *e, unsigned name);
/* Returns the DIE that the attribute refers to, or 0. */
uint64_t entry_ref(const struct entry *e, unsigned name);

/* Finds an attribute in this DIE or in its chain of abstract origins and specifications. *holder is
   the DIE that has it. Returns NULL if none has. */
const struct attr *entry_inherited(const struct entry *e, unsigned name, struct entry *holder,
				   struct error *err);

#endif
