/* Between the files of cfi. */
#ifndef GATECTL_DWARF_FRAMES_CFI_INTERNAL_H
#define GATECTL_DWARF_FRAMES_CFI_INTERNAL_H

#include "tracer/dwarf/frames/cfi.h"
#include "tracer/dwarf/units/dies_read.h"

/* What descriptions share. */
struct cfi_common {
	uint64_t code_align, return_address;
	int64_t data_align;
	uint8_t encoding;   /* DW_EH_PE_* of addresses */
	uint8_t exceptions; /* of the pointer to the exception table; DW_EH_PE_omit: there is none */
	bool sized, signal;
	struct cursor code; /* instructions that all begin with */
};

/* A number, and what it stands for where it is relative to its own place. */
uint64_t cfi_number(struct cursor *c, uint8_t encoding);
uint64_t cfi_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding);

/* Runs the instructions of a description from `low` on up to the row that holds the address. */
int cfi_run(const struct cfi_section *s, const struct cfi_common *common, struct cursor code,
	    uint64_t low, uint64_t address, struct cfi_row *out, struct error *err);

#endif
