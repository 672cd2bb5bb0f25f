/*
 * An independent witness: libdwarf reads the same file as tracer/dwarf, and each difference has a
 * reason (witness_reasons.h) or fails the test. Only test_dwarf_witness links libdwarf. Its results
 * are freed at once, location lists above all, as dwarf_finish() would free those twice.
 */
#ifndef TESTS_WITNESS_H
#define TESTS_WITNESS_H

#include "tracer/dwarf/frames/frames.h"
#include "tracer/dwarf/units/units.h"
#include "tracer/dwarf/expressions/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "witness_libdwarf.h"

/* Numbers of things compared. */
struct counts {
	size_t programs, entries, attributes, ranges, lists, places, rows, lines;
};

/* A type unit, as reported by libdwarf. */
struct signed_type {
	uint64_t signature, die;
};

struct witness {
	const char *name; /* name of the program */
	struct module *module;
	struct die_table *ours;
	Dwarf_Debug theirs;
	struct counts *counts;
	size_t unexplained;
	ARRAY(struct signed_type) types;

	/* The current unit. */
	struct die_unit *unit;
	uint64_t base; /* offset of its section, by our count: .debug_types follows .debug_info */
	Dwarf_Half version, offset_size;
	uint64_t next; /* offset of our next entry */
	unsigned depth;
	uint64_t low; /* DW_AT_low_pc of its top entry, the base of lists */
};

/* A difference between our result (`our`, `ours`) and libdwarf's (`their`, `theirs`). */
struct difference {
	const char *what;
	uint64_t entry; /* offset of the entry, or address of the row */
	unsigned tag, attribute, form;
	uint64_t ours, theirs;
	const char *our_text, *their_text; /* texts, if the results are texts; or NULL */
	const char *error;		   /* libdwarf's error, or NULL */
};

/* Reports the difference if no reason explains it (witness_reasons.h). */
static void differs(struct witness *w, const struct difference *d);

static inline void differ(struct witness *w, const char *what, uint64_t entry, uint64_t ours,
			  uint64_t theirs)
{
	differs(w,
		&(struct difference){.what = what, .entry = entry, .ours = ours, .theirs = theirs});
}

/* True if libdwarf has an answer. An error, which the call has set, is a difference. */
static inline bool said(struct witness *w, int answer, const Dwarf_Error *error,
			struct difference d)
{
	if (answer == DW_DLV_ERROR) {
		d.error = dwarf_errmsg(*error);
		differs(w, &d);
		dwarf_dealloc_error(w->theirs, *error);
	}
	return answer == DW_DLV_OK;
}

#endif
