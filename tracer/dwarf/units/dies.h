/*
 * Units, functions and their inlined copies, as .debug_info tells of them.
 *
 * DIEs are read by hand (DWARF 2 to 5): only what locations need (names, ranges, places), one pass
 * over the units that a question touches. libdwarf makes an object for each DIE and attribute; the
 * single unit of sqlite3 took it 30 ms, this takes 2. Corrupt input is an error that names the file
 * and the offset, never a crash. Split DWARF (.dwo, .dwp) and alternate
 * files (dwz) are further sources of the same table.
 */
#ifndef GATECTL_DWARF_UNITS_DIES_H
#define GATECTL_DWARF_UNITS_DIES_H

#include "tracer/dwarf/lines/lines.h"
#include "tracer/elf/module_tables.h"

/* From one source of DIEs to the next; the first one behind the module's own is the alternate. */
#define DIES_SOURCE (1ull << 40)

/* An attribute as its form has it. */
struct attr {
	uint64_t number; /* constant, flag, address, offset or index; references are offsets in
			    .debug_info */
	const uint8_t
		*block;	     /* exprloc and blocks, data16, the text of DW_FORM_string; else NULL */
	uint32_t size;	     /* of the block */
	uint16_t form, name; /* DW_FORM_*, 0: the DIE has no such attribute; DW_AT_* */
};

#define SCOPE_NONE UINT32_MAX
#define FILE_NONE  UINT32_MAX /* no DW_AT_decl_file or _call_file; 0 is a file of version 5 */

enum scope_kind {
	SCOPE_SPACE,	/* namespace, class: it gives names to what is in it */
	SCOPE_FUNCTION, /* with code, abstract, or only declared */
	SCOPE_INLINED,	/* a copy of a function inside another one */
};

struct scope {
	enum scope_kind kind;
	unsigned tag;	  /* DW_TAG_* */
	bool declaration; /* DW_AT_declaration */
	bool abstract;	  /* DW_AT_inline: code only in copies */
	bool silent; /* an inline or anonymous namespace, an unnamed class: nobody writes its name */
	uint64_t offset;      /* of its DIE in .debug_info */
	uint64_t origin;      /* DW_AT_abstract_origin or DW_AT_specification; 0 none */
	uint32_t parent, end; /* indexes: the scope around it, and one past its last descendant */
	const char *name, *linkage;    /* its own; NULL: look at the origin */
	unsigned decl_file, decl_line; /* as in the DIE; FILE_NONE, 0: look at the origin */
	unsigned call_file, call_line; /* SCOPE_INLINED */
	bool has_entry;
	uint64_t entry; /* DW_AT_entry_pc */
	uint32_t first_range,
		range_count;   /* in die_unit.ranges; without those the linker dropped */
	const char *qualified; /* function_name made it, the table keeps it; or NULL */
	const char *spoken;    /* the same without what is silent; may be the same text */
	const char *shown;     /* as backtraces name it (backtrace.c), or NULL */
};

/* Ranges of concrete functions by address. */
struct scope_span {
	uint64_t low, high;
	uint32_t scope;
};

struct abbrevs;	    /* dies_read.h */
struct split_table; /* split.h */

/*
 * A file with units, seen as the sections that they refer to. DIEs are called by one number whatever
 * the file: the offset in its .debug_info, with the files one after the other from `start` on.
 * For .dwo and .dwp the sections are those named so (split.c).
 */
struct die_source {
	uint64_t start;
	struct section_data info, abbrev, str, line_str, str_offsets, rnglists;
	struct section_data loclists, loc; /* of .dwo and .dwp */
	uint64_t types_from;		   /* where .debug_types begins in info */
	uint8_t *joined; /* .debug_types of DWARF 4 behind .debug_info: one piece */
};

/* Where the DIEs of a unit are. */
enum unit_split {
	UNIT_WHOLE,    /* here */
	UNIT_SKELETON, /* in a .dwo file */
	UNIT_JOINED,   /* the same, but here now: all but the ranges and bases is of that file */
	UNIT_MISSING,  /* in a .dwo file which is not there: no DIEs */
};

struct die_unit {
	const struct die_source *in;
	uint64_t offset, end; /* from its header to the next one, in .debug_info */
	uint64_t place_end;   /* the same of the skeleton, where it has been joined (split.c) */
	uint64_t first;	      /* offset of its top DIE */
	uint64_t abbrev_offset;
	uint8_t version, address_size, offset_size, type;
	enum unit_split split;
	bool partial; /* what dwz has moved out of several units, which import it */
	bool is_dwo;  /* of a .dwo file: its lists of ranges and locations are there, too */
	uint64_t dwo_id;
	const char *dwo_name;
	uint64_t ranges_base; /* DW_AT_GNU_ranges_base */
	uint64_t ref_base;    /* what offsets in "the .debug_info" are counted from */
	uint64_t loc_base;    /* of a .dwp: where its part of .debug_loc.dwo begins */
	bool has_stmt_list;
	uint64_t stmt_list;
	uint64_t low; /* DW_AT_low_pc, or 0: what its lists count from */
	uint64_t str_base, addr_base, rnglists_base, loclists_base;
	uint64_t signature, type_die; /* of a type unit: the type's DIE; 0 none */
	unsigned language;
	const char *name, *comp_dir;
	bool is_gcc; /* who compiled it: DW_AT_producer */

	struct abbrevs *abbrevs;    /* the table owns it; NULL until asked */
	bool loaded;		    /* what follows is valid */
	ARRAY(struct scope) scopes; /* in DIE order: parents before children */
	ARRAY(struct module_range) ranges;
	ARRAY(struct scope_span) spans; /* by low */
	bool calls_known;
	ARRAY(struct scope_call) calls; /* dies_calls() makes them */
};

/* A copy that has code, and the line of its call. */
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

/* What dies_mark_named() has found of a name: a script asks for the same few again and again. */
struct die_named {
	char *name;
	bool *marks; /* by unit */
};

struct die_table {
	struct module *module;
	struct die_source own;
	struct section_data addr, ranges;
	struct die_source *alt;	      /* .gnu_debugaltlink, or NULL (alternate.c) */
	char *alt_missing;	      /* named by the module, but not found; owned */
	struct split_table *split;    /* .dwo files and .dwp; NULL until asked (split.c) */
	ARRAY(struct die_unit) units; /* by offset */
	ARRAY(struct type_signature) signatures; /* sorted */
	ARRAY(struct abbrevs *) abbrevs;
	struct abbrevs *top_abbrevs;	  /* as much as the top DIE read last needed */
	ARRAY(struct unit_span) spans;	  /* code of the units, by low */
	ARRAY(char *) strings;		  /* names made for others: dies_keep */
	ARRAY(struct die_named) named;	  /* DIES_NAMED at most */
	struct dwarf_index *kept;	  /* from an earlier run, or for the next; or NULL */
	struct function_index *index;	  /* NULL until asked */
	struct type_table *types;	  /* NULL until asked */
	struct variable_table *variables; /* NULL until asked */
	struct cleanups cleanups;	  /* of those who hang tables on it */
};

/* A scope and the unit it is in; scope NULL: none. */
struct scope_ref {
	struct die_unit *unit;
	struct scope *scope;
};

/* The table of a module, made on first use; without .debug_info it has no units. NULL with
   ERROR_OBJECT. Units of DWARF 2 to 4 tell their line programs their directory on the way. */
struct die_table *dies_table(struct module *m, struct error *err);

/* Reads the scopes of a unit. 0, or -1 with ERROR_OBJECT. */
int dies_load(struct die_table *t, struct die_unit *u, struct error *err);

/* Drops the scopes of a unit that was loaded for one search only. Nobody may hold one of them. */
void dies_unload(struct die_unit *u);

/* The unit whose DIEs hold this offset of .debug_info, or NULL. */
struct die_unit *dies_unit_of(struct die_table *t, uint64_t die);

/* The unit whose code holds this offset of the module; NULL: none (*err untouched) */
struct die_unit *dies_unit_at(struct die_table *t, uint64_t offset);

/* The concrete function that holds the offset; its unit is loaded for it. 0, or -1 with an error.
 */
int dies_function_at(struct die_table *t, uint64_t offset, struct scope_ref *out,
		     struct error *err);

/* Does it have any code? The compiler may have merged a copy into its neighbours: then only
   the address where it begins is known. */
bool dies_has_code(const struct scope *s);
/* Does the scope's code hold this offset? A copy without code of its own holds its entry. */
bool dies_covers(const struct die_unit *u, const struct scope *s, uint64_t offset);

/* What the scope's abstract origin or specification is; none at the end of the chain. */
int dies_origin(struct die_table *t, struct scope_ref of, struct scope_ref *out, struct error *err);

/* The copies in this loaded unit whose calls are on that line, in DIE order. (dies_scopes.c) */
const struct scope_call *dies_calls(struct die_unit *u, unsigned line, size_t *count);

/* The scope of this DIE in a unit that is loaded; NULL: it is none. */
struct scope *dies_scope_of(struct die_unit *u, uint64_t die);

/* Units that may have a function of this name (without template arguments): sets marks[unit]. */
void dies_mark_named(struct die_table *t, const char *name, bool *marks);
/* The same, but where it is known not those that only declare it: a function without code, that is in no copy
   either. */
void dies_mark_functions(struct die_table *t, const char *name, bool *marks);
/* Units that may refer to one of these DIEs from outside (link-time optimisation). */
void dies_mark_referring(struct die_table *t, const uint64_t *dies, size_t count, bool *marks);
/* The same for top DIEs of partial units: units that import them. */
void dies_mark_importing(struct die_table *t, const uint64_t *dies, size_t count, bool *marks);

/* The DIE of the type with this signature (DW_FORM_ref_sig8), asked by a unit; 0: there is none. */
uint64_t dies_signed(struct die_table *t, const struct die_unit *u, uint64_t signature);

/* Where the DIEs of this unit are. */
static inline const uint8_t *dies_bytes(const struct die_unit *u, uint64_t die)
{
	return u->in->info.bytes + (die - u->in->start);
}

static inline uint64_t dies_offset(const struct die_unit *u, const uint8_t *at)
{
	return u->in->start + (uint64_t)(at - u->in->info.bytes);
}

/* Keeps a string as long as the module; returns it. */
const char *dies_keep(struct die_table *t, char *text);

#endif
