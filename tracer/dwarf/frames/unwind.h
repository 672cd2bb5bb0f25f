/* Between the files of unwinding: the rules for one frame, wherever they come from. */
#ifndef GATECTL_DWARF_FRAMES_UNWIND_H
#define GATECTL_DWARF_FRAMES_UNWIND_H

#include "tracer/dwarf/frames/cfi.h"
#include "tracer/dwarf/frames/frame.h"

struct unwind_rules {
	struct cfi_row row;
	void *image; /* bytes that the row's expressions are in, or NULL: unwind_rules_fini */
};

/* 0, or -1 with ERROR_STATE: no rules are known for this code. */
int unwind_rules(const struct dwarf_frame *frame, struct unwind_rules *out, struct error *err);
void unwind_rules_fini(struct unwind_rules *r);

/* Is the frame's pc where a signal handler returns to? */
bool unwind_is_signal(const struct dwarf_frame *frame);

#endif
