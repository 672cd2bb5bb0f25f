/*
 * Index of a large module's debug information, kept from one run to the next (tracer/cache), so
 * that only units that are needed are read. It may name too many units, never too few. See
 * tracer/dwarf/README.md.
 */
#ifndef GATECTL_DWARF_INDEX_INDEX_H
#define GATECTL_DWARF_INDEX_INDEX_H

#include "tracer/dwarf/units/units.h"

/* Version of the files in the cache; incremented when their content changes (index_internal.h). */
enum { INDEX_FORMAT = 2 };

/* Least size of .debug_info and .debug_line in bytes for which an index is kept; tests change it. A
   build with INDEX_LEAST=1 uses the index in all tests. */
extern uint64_t index_least;

/* Fills the table with the units, their code and the line programs of the index. Returns false,
   with nothing changed, if there is no index and they have to be read. */
bool index_read(struct die_table *t);
/* Keeps the units that were read for later runs, if the module is large enough. */
void index_keep(struct die_table *t);

/* Marks units by name as dies_mark_named() does, or dies_mark_functions() if `functions`. The first
   call collects all names, which is slower than a search. Returns false, with no unit marked, if
   the index does not know the name. */
bool index_mark_named(struct die_table *t, const char *name, bool functions, bool *marks);
/* True if names are collected for this table: a search for a name is then cheap. */
bool index_has_names(const struct die_table *t);

/* Marks the line programs that may have a file which FILE, as the tester wrote it, can mean;
   without an index, all. */
void index_mark_file(struct line_table *t, const char *file, bool *marks);

#endif
