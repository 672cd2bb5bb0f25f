/*
 * The independent witness: libdwarf reads the same file as tracer/dwarf, and each thing that
 * the two say differently has a reason (witness_reasons.h) or fails the test. Only test_dwarf_witness
 * links libdwarf. What libdwarf gives is given back at once, tables of locations before all:
 * dwarf_finish() frees those twice.
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

/* How much has been compared. */
struct counts {
	size_t programs, entries, attributes, ranges, lists, places, rows, lines;
};

/* A type unit, as they tell of it. */
struct signed_type {
	uint64_t signature, die;
};

struct witness {
	const char *name; /* of the program */
	struct module *module;
	struct die_table *ours;
	Dwarf_Debug theirs;
	struct counts *counts;
	size_t unexplained;
	ARRAY(struct signed_type) types;

	/* The unit that is compared. */
	struct die_unit *unit;
	uint64_t base; /* of its section, as we count: .debug_types stands behind .debug_info */
	Dwarf_Half version, offset_size;
	uint64_t next; /* our entry that follows */
	unsigned depth;
	uint64_t low; /* DW_AT_low_pc of its top entry, which lists begin from */
};

/* What the two say differently. */
struct difference {
	const char *what;
	uint64_t entry; /* or the address of the row */
	unsigned tag, attribute, form;
	uint64_t ours, theirs;
	const char *our_text, *their_text; /* of texts */
	const char *error;		   /* why they cannot say it; NULL */
};

/* Says so where no reason is known. (witness_reasons.h) */
static void differs(struct witness *w, const struct difference *d);

static inline void differ(struct witness *w, const char *what, uint64_t entry, uint64_t ours,
			  uint64_t theirs)
{
	differs(w,
		&(struct difference){.what = what, .entry = entry, .ours = ours, .theirs = theirs});
}

/* An answer of theirs: true where there is one. An error, which the call has set by then, is a
   difference. */
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
