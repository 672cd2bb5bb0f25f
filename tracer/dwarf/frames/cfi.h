/*
 * Call frame information: .eh_frame, .debug_frame (DWARF 5 standard, 6.4; System V ABI; Linux
 * Standard Base, 10.6). Read by hand, as libdwarf makes an object for every function of a library
 * before it answers anything, and cannot look at bytes of a program's memory (the vdso).
 *
 * Corrupt input is "not known", or an error where a row is asked; never a crash.
 */
#ifndef GATECTL_DWARF_FRAMES_CFI_H
#define GATECTL_DWARF_FRAMES_CFI_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CFI_REGISTERS = 17 }; /* as many as struct dwarf_frame has; others are skipped */

enum cfi_kind {
	CFI_UNSAID, /* no rule: the ABI decides */
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_OFFSET,	  /* saved at CFA + number */
	CFI_VALUE_OFFSET, /* is CFA + number */
	CFI_REGISTER,	  /* is in register `number` */
	CFI_EXPRESSION,	  /* saved where the expression says */
	CFI_VALUE_EXPRESSION,
};

struct cfi_rule {
	enum cfi_kind kind;
	int64_t number;
	const uint8_t *code; /* in the section */
	size_t size;
};

struct cfi_row {
	struct cfi_rule cfa; /* CFI_EXPRESSION (its value is the CFA), or register + number */
	unsigned cfa_register;
	struct cfi_rule rules[CFI_REGISTERS];
	unsigned return_address; /* which column: 16 */
	bool signal;		 /* a frame that the kernel made: its pc is exact */
};

/* The code that one description is for. */
struct cfi_span {
	uint64_t low, high, entry; /* entry: where it stands in the section */
};

struct cfi_section {
	const uint8_t *bytes; /* NULL: there is none */
	size_t size;
	uint64_t address; /* of the first byte, as the code's addresses are meant */
	bool eh;
	/* .eh_frame_hdr, or NULL: the linker's table of what stands in .eh_frame */
	const uint8_t *header;
	size_t header_size;
	uint64_t header_address;
	struct cfi_span found; /* by it, last */
	bool indexed;
	ARRAY(struct cfi_span) spans; /* by low; cfi_index makes them */
};

/* Finds what there is. A broken section ends where it is broken. Questions see to it themselves, where the header
   does not answer them. */
void cfi_index(struct cfi_section *s);
void cfi_fini(struct cfi_section *s);

/* The rules at this address. 1; 0: the section has none; -1 with ERROR_STATE: they are broken. */
int cfi_row(struct cfi_section *s, uint64_t address, struct cfi_row *out, struct error *err);

bool cfi_has(struct cfi_section *s, uint64_t address); /* is there any? */

/* Is it the code that a signal handler returns to? */
bool cfi_is_signal(struct cfi_section *s, uint64_t address);

/* Where the code's exception table is, and where the code begins: the table counts from there. False: it has none. */
bool cfi_exceptions(struct cfi_section *s, uint64_t address, uint64_t *table, uint64_t *low);

/* A number in an encoding DW_EH_PE_*, and what it stands for where it is relative to its own place. */
struct cursor;
uint64_t cfi_number(struct cursor *c, uint8_t encoding);
uint64_t cfi_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding);
/* A pointer as .eh_frame_hdr has it: for finding .eh_frame in memory. False: not understood. */
bool cfi_pointer_at(const struct cfi_section *s, size_t at, uint8_t encoding, uint64_t *out);

struct module;
/* The rules of a module's code: of its .eh_frame, else of .debug_frame. As cfi_row. (call_frames.c) */
int frames_row(struct module *m, uint64_t offset, struct cfi_row *out, struct error *err);

bool frames_is_signal(struct module *m, uint64_t offset);

/* As cfi_exceptions. */
bool frames_exceptions(struct module *m, uint64_t offset, uint64_t *table, uint64_t *low);

/* The pieces of code that there are rules for, mostly functions; none overlaps another one. */
void frames_each(struct module *m, void (*each)(void *ctx, uint64_t low, uint64_t high), void *ctx);

/*
 * Landing pads: where a function goes on when a call in it throws. Read from the call sites of the
 * exception tables that gcc and clang write into .gcc_except_table, whose encodings are those of .eh_frame.
 */
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
