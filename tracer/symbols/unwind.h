/* Between the files of unwinding: the rules for one frame, wherever they come from. */
#ifndef GATECTL_SYMBOLS_UNWIND_H
#define GATECTL_SYMBOLS_UNWIND_H

#include "tracer/symbols/cfi.h"
#include "tracer/symbols/state.h"

struct unwind_rules {
	struct cfi_row row;
	void *image; /* bytes that the row's expressions are in, or NULL: unwind_rules_fini */
};

/* 0, or -1 with ERROR_STATE: nobody knows how this code's frames look. */
int unwind_rules(const struct symbols_frame *frame, struct unwind_rules *out, struct error *err);
void unwind_rules_fini(struct unwind_rules *r);

/* Is the frame's pc where a signal handler returns to? */
bool unwind_is_signal(const struct symbols_frame *frame);

#endif
