/*
 * Units, functions and their inlined copies, as .debug_info tells of them.
 *
 * DIEs are read by hand (DWARF 2 to 5): only what locations need (names, ranges, places), one pass
 * over the units that a question touches. libdwarf makes an object for each DIE and attribute; the
 * single unit of sqlite3 took it 30 ms, this takes 2. Corrupt input is an error that names the file
 * and the offset, never a crash. Split DWARF (.dwo, .dwp) and alternate
 * files (dwz) are further sources of the same table.
 */
#ifndef GATECTL_DWARF_UNITS_UNITS_H
#define GATECTL_DWARF_UNITS_UNITS_H

#include "tracer/dwarf/lines/lines.h"
#include "tracer/elf/module.h"
#include "tracer/dwarf/cursor.h"

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

struct abbrevs;
struct split_table;

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

/* Between the files of dies: bytes, abbreviations and single DIEs (DWARF 5 standard, section 7.5).
 */

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

/*
 * DIEs that are not in the module's own file: split DWARF and alternate files.
 *
 * A unit built with -gsplit-dwarf is a skeleton in the module: addresses, line table, and the name of
 * a .dwo file with the rest, or with a .dwp package of many. The file is opened when the DIEs of the
 * unit are asked for; then the unit becomes that of the file. Where the file is missing the unit has
 * no DIEs: lines and symbols are still there.
 *
 * dwz -m moves what many modules share into one file, named in .gnu_debugaltlink (or .debug_sup).
 */

/* Numbers of DIEs of .dwo and .dwp files begin here; DIES_SOURCE is the alternate file. */
#define SPLIT_START (2 * DIES_SOURCE)

/* The skeleton becomes the whole unit, or UNIT_MISSING. 0, or -1: the file is broken, or of another build. */
int split_join(struct die_table *t, struct die_unit *u, struct error *err);
struct die_unit *split_unit_of(struct die_table *t, uint64_t die);
/* The DIE of a type unit in the file that `u` is in; 0: none. */
uint64_t split_signed(struct die_table *t, const struct die_unit *u, uint64_t signature);
/* Visits all type units of .dwo files (of those that are open) and of the package that may mention the name;
   ends where `visit` does not return 0, and returns that. */
int split_each_type(struct die_table *t, const char *name,
		    int (*visit)(struct die_table *t, struct die_unit *u, void *ctx,
				 struct error *err),
		    void *ctx, struct error *err);
/* May a function or variable of this name be in the unit, which is split? */
bool split_contains(struct die_table *t, struct die_unit *u, const char *name);
/* Says which file is missing where the code at the offset is of a unit without DIEs, so that there is
   no `what`; else nothing. */
bool split_explain(struct die_table *t, uint64_t offset, const char *what, struct error *err);
/* The same for whatever the module's units that are not there may have. */
bool split_explain_any(struct die_table *t, const char *what, struct error *err);
void split_free(struct split_table *s); /* NULL is allowed */

/* Sets t->alt, or t->alt_missing, where the module names such a file. 0, or -1: it is broken. */
int alternate_find(struct die_table *t, struct error *err);
/* Says that the alternate file is missing, which may have the `what` that is not there; else nothing. */
bool alternate_explain(const struct die_table *t, const char *what, struct error *err);
void alternate_free(struct die_source *alt); /* NULL is allowed */

/* ---- files (alternate.c) -------------------------------------------------------------------- */

struct die_file {
	struct die_source source; /* first: alternate_free gets it */
	struct elf_file file;
	ARRAY(struct die_unit *) units; /* of a split file: by offset */
	ARRAY(struct die_unit *) made;	/* those of them that are no skeletons': type units */
	bool all_made;			/* of a .dwp: those of the whole index */
	struct section_data cu_index, tu_index; /* of a .dwp */
};

/* NULL: there is no such ELF file; *broken tells whether there is one that cannot be read (err). The
   sections have the ending `suffix` (".dwo" or ""). */
struct die_file *die_file_open(const char *path, uint64_t start, const char *suffix, bool *broken,
			       struct error *err);
void die_file_free(struct die_file *f);

/*
 * One entry of .debug_info with everything that it says (DWARF 5 standard, chapters 2 and 7.5).
 * Functions above read the scopes of a whole unit fast; this reads single entries, when a question asks.
 */

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
