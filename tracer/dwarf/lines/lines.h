/*
 * Line programs of DWARF 2 to 5 (DWARF 5, 6.2). See tracer/dwarf/README.md. Corrupt input is an
 * error that names the offset, never a crash.
 */
#ifndef GATECTL_DWARF_LINES_LINES_H
#define GATECTL_DWARF_LINES_LINES_H

#include "tracer/elf/module.h"

struct line_row {
	uint64_t offset;
	unsigned file; /* index into line_unit.files, for lines_file(); may be out of range */
	unsigned line, column;
	bool is_stmt : 1;
	bool prologue_end : 1;
	bool end_sequence : 1; /* its offset is the first past the sequence */
};

struct line_file {
	const char *name; /* as in the section: a base name, or with directories in front of it */
	char *path;	  /* made by lines_file(); NULL until then */
	uint64_t dir;	  /* index into line_unit.dirs */
};

struct line_sequence {
	uint64_t low, high;  /* offsets, `high` excluded */
	size_t first, count; /* rows, the end_sequence row included */
};

/* Header of a line program, for lines.c and line_program.c only. */
struct line_program {
	const uint8_t *unit; /* first byte of the unit */
	const uint8_t *bytes, *end;
	/* number of operands of standard opcode op at [op - 1]; opcode_base - 1 of them */
	const uint8_t *operands;
	uint8_t min_inst, max_ops, line_range, opcode_base;
	int8_t line_base;
	bool default_is_stmt;
};

/* A row of a line that is not 0: its sequence, and its index in the sequence. */
struct line_place {
	unsigned line;
	uint32_t sequence, row;
};

struct line_unit {
	uint64_t stmt_list; /* offset in .debug_line: DW_AT_stmt_list of the unit that uses it */
	unsigned version;
	bool headed; /* the header was read: the members below are valid */
	/* NULL: unknown; read from version 5, else set by lines_set_comp_dir() */
	const char *comp_dir;
	ARRAY(const char *) dirs; /* dirs[0] is comp_dir, or NULL */
	/* [0] is file 0 of version 5 and file 1 of versions 2 to 4: lines_file_index() */
	ARRAY(struct line_file)
	files;
	bool decoded; /* rows and sequences are valid */
	/* By sequence, in address order within each. Sequences that the linker dropped (at address
	   0 or -1) are left out. */
	ARRAY(struct line_row)
	rows;
	ARRAY(struct line_sequence) sequences; /* sorted by low */
	struct line_program program;
	/* Members for line_files.c. */
	int all_stmt;	/* lines_all_stmt(): 1 true, -1 false, 0 not computed yet */
	unsigned looks; /* calls of lines_places() so far, up to the one that makes by_line */
	ARRAY(struct line_place) by_line; /* empty: not made yet */
};

struct dwarf_index; /* index.h */

struct line_table {
	struct module *module;
	struct dwarf_index *index;     /* index from an earlier run; NULL: none */
	ARRAY(struct line_unit) units; /* sorted by stmt_list */
};

/* Returns the module's table with all file tables; without .debug_line it has no units. Returns
   NULL with *err set to ERROR_OBJECT if a unit is broken. */
struct line_table *lines_table(struct module *m, struct error *err);
/* Returns the module's table, in which headers of units may not be read yet, or NULL with *err
   set. */
struct line_table *lines_units(struct module *m, struct error *err);
/* Reads the header of a unit with its file table, unless that is done. Returns 0, or -1 with *err
   set. lines_unit_at() and lines_decode() call it. */
int lines_head(struct module *m, struct line_unit *u, struct error *err);
/* Makes an empty table, which becomes the module's. */
struct line_table *lines_new(struct module *m);

/* Decodes the line program of a unit. Returns 0, or -1 with *err set to ERROR_OBJECT, which names
   the offset in the section. */
int lines_decode(struct module *m, struct line_unit *u, struct error *err);

/* True if the decoded unit has no statement markers (gcc with -O0, -g1 or
   -gno-statement-frontiers): each row of another place then begins a statement. Otherwise only rows
   with is_stmt do. */
bool lines_all_stmt(struct line_unit *u);
/* True if a function has no statement markers in a unit that has some: link-time optimisation loses
   them in its clones. Returns false if the function has too few rows. */
bool lines_all_stmt_in(const struct line_unit *u, const struct module_range *pieces, size_t count);
/* Returns the rows of a line in this decoded unit, by sequence and without ends of sequences.
   Returns NULL if the unit was searched too rarely for an index: the caller visits all rows. */
const struct line_place *lines_places(struct line_unit *u, unsigned line, size_t *count);

/* Returns the unit with this DW_AT_stmt_list, its header read if that is possible, or NULL. */
struct line_unit *lines_unit_at(struct line_table *t, uint64_t stmt_list);
/* Returns the unit with this DW_AT_stmt_list, whose header may not be read, or NULL. */
struct line_unit *lines_unit_bare(struct line_table *t, uint64_t stmt_list);

/* Returns the index into `files` for a file number of DWARF (DW_AT_decl_file, DW_AT_call_file). */
unsigned lines_file_index(const struct line_unit *u, uint64_t number);

/*
 * Returns the path of a file as the debug information gives it: absolute, or relative if the
 * DW_AT_comp_dir of versions 2 to 4 is unknown. It is made on first use; the unit owns it. NULL:
 * there is no such file.
 */
const char *lines_file(struct line_unit *u, unsigned index);

/* Sets the DW_AT_comp_dir of a unit of version 2 to 4; the text is not copied and must live as long
   as the module. Paths that lines_file() has returned do not change. */
void lines_set_comp_dir(struct line_unit *u, const char *comp_dir);

/* Returns the index of the unit's next file, from `from` on, that FILE as the tester wrote it can
   mean, or -1. One source file may have several indexes (0 and 1 in version 5 of gcc). */
int lines_find_file(struct line_unit *u, const char *file, int from);

/* Returns the row that covers the offset in this decoded unit: the last at or before it in its
   sequence whose line is not 0, or NULL. */
const struct line_row *lines_row_at(const struct line_unit *u, uint64_t offset);

/* A walk over the rows of a decoded unit from `low` to below `high`, by address and without ends of
   sequences. */
struct line_walk {
	const struct line_unit *unit;
	uint64_t low, high;
	size_t sequence;
	const struct line_row *at, *end;
};
/* Starts a walk; without a unit it has no rows. */
struct line_walk lines_walk(const struct line_unit *u, uint64_t low, uint64_t high);
/* Returns the next row, after which the array always has another one, or NULL at the end. */
const struct line_row *lines_next(struct line_walk *w);

/* A source file. modules_free() frees it. */
struct source_file {
	char *path;
	char *text;		   /* the whole text, with NUL for every newline */
	ARRAY(const char *) lines; /* lines.items[0] is line 1, without its newline */
};
/* Returns a source file, read once and again when it has changed on disk. Returns NULL if there is
   no file at the path, which the debug information may name all the same, or if it has more than
   256 MB. */
const struct source_file *lines_source(struct modules *s, const char *path);

#endif
