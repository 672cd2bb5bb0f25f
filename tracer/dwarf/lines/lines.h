/*
 * Line programs, decoded by hand: DWARF 2 to 5 (DWARF 5 standard, section 6.2), because libdwarf
 * 20210528 misreads version 5. Bytes come from libelf; corrupt input is an error, never a crash.
 *
 * Headers (file tables) of all units are read on the first question, or those that it is about if an earlier
 * run has kept which these are (index.h); the program of a unit only when one of its files is asked for. Paths are put together only when lines_file is asked.
 */
#ifndef GATECTL_DWARF_LINES_LINES_H
#define GATECTL_DWARF_LINES_LINES_H

#include "tracer/elf/module.h"

struct line_row {
	uint64_t offset;
	unsigned file; /* index into line_unit.files, for lines_file; may be out of range */
	unsigned line, column;
	bool is_stmt : 1;
	bool prologue_end : 1;
	bool end_sequence : 1; /* its offset is the first behind the sequence */
};

struct line_file {
	const char *name; /* as in the section: a base name, or with directories before it */
	char *path;	  /* lines_file makes it; NULL until then */
	uint64_t dir;	  /* index into line_unit.dirs */
};

struct line_sequence {
	uint64_t low, high;  /* offsets, high excluded */
	size_t first, count; /* its rows, the end_sequence row included */
};

/* What the header says of the program; for lines.c and line_program.c only. */
struct line_program {
	const uint8_t *unit; /* the first byte of the unit */
	const uint8_t *bytes, *end;
	const uint8_t
		*operands; /* operands[op - 1] of standard opcode op; opcode_base - 1 of them */
	uint8_t min_inst, max_ops, line_range, opcode_base;
	int8_t line_base;
	bool default_is_stmt;
};

/* A row of a line that is not 0: in which sequence, and the number in it. */
struct line_place {
	unsigned line;
	uint32_t sequence, row;
};

struct line_unit {
	uint64_t stmt_list; /* offset in .debug_line: DW_AT_stmt_list of the unit that uses it */
	unsigned version;
	bool headed;	      /* its header has been read: what follows is valid */
	const char *comp_dir; /* NULL unknown; version 5 says it itself, else lines_set_comp_dir */
	ARRAY(const char *) dirs; /* dirs[0] is comp_dir, or NULL */
	ARRAY(struct line_file)
	files;	      /* index 0 is file 0 of version 5, and for versions 2 to 4
			 the unit's index - 1: lines_file_index */
	bool decoded; /* rows and sequences below are valid */
	ARRAY(struct line_row)
	rows; /* by sequence, in address order within each; dead sequences
		 (at address 0 or -1, dropped by the linker) are left out */
	ARRAY(struct line_sequence) sequences; /* by low */
	struct line_program program;
	/* line_files.c */
	int all_stmt; /* 1 yes, -1 no, 0 not known yet */
	unsigned looks;
	ARRAY(struct line_place) by_line; /* empty: not made yet */
};

struct dwarf_index; /* index.h */

struct line_table {
	struct module *module;
	struct dwarf_index *index;     /* what an earlier run has kept, or NULL */
	ARRAY(struct line_unit) units; /* by stmt_list */
};

/* All units with their file tables. NULL with ERROR_OBJECT where the section is broken. A module
   without .debug_line has a table with no units. A broken unit in the middle: the units before it
   and an error only if it matters is too clever: it is an error that names the offset. */
struct line_table *lines_table(struct module *m, struct error *err);
/* The same, but there may be units whose file tables are not read yet: lines_head() does that, 0 or -1.
   lines_unit_at() and lines_decode() see to it themselves. */
struct line_table *lines_units(struct module *m, struct error *err);
int lines_head(struct module *m, struct line_unit *u, struct error *err);
/* An empty table, of the module from now on. */
struct line_table *lines_new(struct module *m);

/* Decodes the program of one unit. 0, or -1 with ERROR_OBJECT (the offset in the section is named).
 */
int lines_decode(struct module *m, struct line_unit *u, struct error *err);

/* Does every row of another place begin a statement in this decoded unit of gcc's (-O0, -g1, -gno-statement-frontiers)? Else
   only marked ones do. */
bool lines_all_stmt(struct line_unit *u);
/* The same of a function in a unit that has marks: link-time optimisation loses them in its clones. False for one too
   small to tell. */
bool lines_all_stmt_in(const struct line_unit *u, const struct module_range *pieces, size_t count);
/* The rows of a line in this decoded unit, by sequence; but for the ends of sequences. NULL: too few were asked
   for so far, look at all rows. */
const struct line_place *lines_places(struct line_unit *u, unsigned line, size_t *count);

/* The unit with this DW_AT_stmt_list, or NULL. */
struct line_unit *lines_unit_at(struct line_table *t, uint64_t stmt_list);
/* The same; its file table may not be read. */
struct line_unit *lines_unit_bare(struct line_table *t, uint64_t stmt_list);

/* The index into files of a file number of DWARF (DW_AT_decl_file, DW_AT_call_file). */
unsigned lines_file_index(const struct line_unit *u, uint64_t number);

/*
 * The path of a file of this unit as far as the debug information gives it: absolute, or relative
 * to an unknown DW_AT_comp_dir in versions 2 to 4. NULL where there is no such file. Put together
 * on first use; the unit owns it.
 */
const char *lines_file(struct line_unit *u, unsigned index);

/* Tells a unit of version 2 to 4 its DW_AT_comp_dir (copied by pointer: it lives as long as the
   module). Paths that lines_file has given before stay as they are. */
void lines_set_comp_dir(struct line_unit *u, const char *comp_dir);

/* The next file of the unit that matches FILE as the tester wrote it, from index `from` on; -1
   where there is none. Nothing is allocated for files that have another base name. One source file
   may have several indexes (version 5 of gcc: 0 and 1). */
int lines_find_file(struct line_unit *u, const char *file, int from);

/* The line that covers the offset in this decoded unit (the last row at or before it in its
   sequence, the last of several at one address), or NULL. Line 0 rows are looked through backwards.
 */
const struct line_row *lines_row_at(const struct line_unit *u, uint64_t offset);

/* Rows of this decoded unit from `low` on and below `high`, by address, but for the ends of sequences; behind each
   another one stands. Without a unit there are none. NULL: there are no more. */
struct line_walk {
	const struct line_unit *unit;
	uint64_t low, high;
	size_t sequence;
	const struct line_row *at, *end;
};
struct line_walk lines_walk(const struct line_unit *u, uint64_t low, uint64_t high);
const struct line_row *lines_next(struct line_walk *w);

/* The text of a source file, read once and kept (again when it has changed on disk): NULL where
   there is none at that path (the debug information may name files that do not exist) or it has
   more than 256 MB. `lines` are without their newline. Symbols own it until modules_free. */
struct source_file {
	char *path;
	char *text;		   /* the whole, with NUL for every newline */
	ARRAY(const char *) lines; /* lines.items[0] is line 1 */
};
const struct source_file *lines_source(struct modules *s, const char *path);

#endif
