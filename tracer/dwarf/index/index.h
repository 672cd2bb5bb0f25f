/*
 * What of large debug information is kept from one run to the next (tracer/cache): the table of units, what
 * the heads of line programs say, which of them have a file, which units have a name. With it a question reads
 * the units that it is about, and none of the others.
 *
 * It is of one file as it is now: the name in the cache is the build-id, and a sum of the file's place, size and times,
 * since strip, objcopy and others leave the build-id as it was. Split DWARF and alternate
 * files are other files' business, and are not kept.
 *
 * Who asks gets the same answers as without it, only sooner: more units than need be do no harm, fewer would.
 */
#ifndef GATECTL_DWARF_INDEX_INDEX_H
#define GATECTL_DWARF_INDEX_INDEX_H

#include "tracer/dwarf/units/units.h"

/* Of files in the cache: counted up by whoever changes what stands in them (index_internal.h). */
enum { INDEX_FORMAT = 2 };

/* Bytes of .debug_info and .debug_line from which on it is worth it; for tests. Built with INDEX_LEAST=1 every
   test is one of this, too. */
extern uint64_t index_least;

/* Fills in the units, their code and the line programs as an earlier run has found them. False: that has to be
   done by reading them; nothing has been changed. */
bool index_read(struct die_table *t);
/* They have been read: keeps them for later runs, where that is worth it. */
void index_keep(struct die_table *t);

/* Marks the units that have a DIE of this name (which may have template arguments or [abi:...]), as
   dies_mark_named() and, `functions`, dies_mark_functions() say. The first question collects all names, which takes longer
   than a search, and keeps them. False: it is not known; no unit was marked. */
bool index_mark_named(struct die_table *t, const char *name, bool functions, bool *marks);
/* Is that so for this table? Then questions for many names cost little each. */
bool index_has_names(const struct die_table *t);

/* Marks the line programs that may have a file that FILE, as the tester wrote it, can mean; all where that is not
   known. */
void index_mark_file(struct line_table *t, const char *file, bool *marks);

#endif
