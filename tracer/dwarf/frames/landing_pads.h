/*
 * Landing pads: where a function goes on when a call in it throws. Read from the call sites of the exception tables that
 * gcc and clang write into .gcc_except_table, whose encodings are those of .eh_frame (cfi.h).
 */
#ifndef GATECTL_DWARF_FRAMES_LANDING_PADS_H
#define GATECTL_DWARF_FRAMES_LANDING_PADS_H

#include <stddef.h>
#include <stdint.h>

struct module;

struct landing_pad {
	uint64_t low, high; /* of the calls, by the addresses of their instructions */
	uint64_t pad;
};
struct landing_pads {
	struct landing_pad *items;
	size_t count, capacity;
};

/* Of the code that is described together with what stands at `offset`. Appends to out, which the caller
   frees; nothing, where there are none or the table is broken. */
void landing_pads(struct module *m, uint64_t offset, struct landing_pads *out);

#endif
