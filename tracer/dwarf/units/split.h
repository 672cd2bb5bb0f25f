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
#ifndef GATECTL_DWARF_UNITS_SPLIT_H
#define GATECTL_DWARF_UNITS_SPLIT_H

#include "tracer/dwarf/units/dies.h"

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

#endif
