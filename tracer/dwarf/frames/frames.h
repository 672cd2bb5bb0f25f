/*
 * Call frame information from .eh_frame and .debug_frame (DWARF 5, 6.4; System V ABI; Linux
 * Standard Base, 10.6), and the frames of a stopped thread. See tracer/dwarf/README.md.
 *
 * Corrupt information counts as missing, or is an error of the function that needs it.
 */
#ifndef GATECTL_DWARF_FRAMES_FRAMES_H
#define GATECTL_DWARF_FRAMES_FRAMES_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/arch/arch.h"
#include "tracer/elf/module.h"
#include "tracer/dwarf/units/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor;
struct module;

enum { CFI_REGISTERS = 17 }; /* as many as struct dwarf_frame has; rules for others are skipped */

enum cfi_kind {
	CFI_UNSAID, /* no rule: the ABI decides */
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_OFFSET,	  /* saved at CFA + number */
	CFI_VALUE_OFFSET, /* value is CFA + number */
	CFI_REGISTER,	  /* value is in register `number` */
	CFI_EXPRESSION,	  /* saved at the address that the expression computes */
	CFI_VALUE_EXPRESSION,
};

struct cfi_rule {
	enum cfi_kind kind;
	int64_t number;
	const uint8_t *code; /* expression, in the section */
	size_t size;
};

struct cfi_row {
	struct cfi_rule cfa;   /* CFI_EXPRESSION (its value is the CFA), or register + number */
	unsigned cfa_register; /* DWARF number; CFI_REGISTERS: not one of them */
	struct cfi_rule rules[CFI_REGISTERS];
	unsigned return_address; /* column of the return address: 16 on x86-64 */
	bool signal;		 /* made by the kernel for a signal: its pc is no return address */
};

/* The code range of one FDE. */
struct cfi_span {
	uint64_t low, high, entry; /* entry: offset of the FDE in the section */
};

struct cfi_section {
	const uint8_t *bytes; /* NULL: the section does not exist */
	size_t size;
	uint64_t address; /* address of the first byte, in the code's address space */
	bool eh;
	/* .eh_frame_hdr, the linker's search table for .eh_frame; NULL: none */
	const uint8_t *header;
	size_t header_size;
	uint64_t header_address;
	struct cfi_span found; /* result of the last search in it */
	bool indexed;
	ARRAY(struct cfi_span) spans; /* sorted by low; cfi_index() fills it */
};

/* Reads all FDEs into s->spans, up to the first broken one. The functions below call it if the
   header does not answer. */
void cfi_index(struct cfi_section *s);
void cfi_fini(struct cfi_section *s); /* Frees the index. */

/* Computes the rules at this address. Returns 1, 0 if the section has none, or -1 with *err set
   (ERROR_STATE) if they are broken. */
int cfi_row(struct cfi_section *s, uint64_t address, struct cfi_row *out, struct error *err);

bool cfi_has(struct cfi_section *s, uint64_t address); /* True if an FDE covers it. */

/* True if a signal handler returns to this code. */
bool cfi_is_signal(struct cfi_section *s, uint64_t address);

/* Finds the exception table (LSDA) of the code at the address, and the code's start, from which the
   table counts. Returns false if there is none. */
bool cfi_exceptions(struct cfi_section *s, uint64_t address, uint64_t *table, uint64_t *low);

/* Reads a number in an encoding DW_EH_PE_*. An unknown encoding breaks the cursor. */
uint64_t cfi_number(struct cursor *c, uint8_t encoding);
/* Reads a pointer, absolute or relative to its own address. Another base breaks the cursor. */
uint64_t cfi_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding);
/* Reads the pointer at offset `at`, for finding .eh_frame from its header in memory. Returns false
   if it is broken. */
bool cfi_pointer_at(const struct cfi_section *s, size_t at, uint8_t encoding, uint64_t *out);

/* Computes the rules of a module's code from .eh_frame, else from .debug_frame. Returns 1, 0 or -1
   as cfi_row() does. (call_frames.c) */
int frames_row(struct module *m, uint64_t offset, struct cfi_row *out, struct error *err);

/* True if a signal handler returns to this code. */
bool frames_is_signal(struct module *m, uint64_t offset);

/* Calls each() for every range of code that has rules, mostly functions. The ranges do not
   overlap. */
void frames_each(struct module *m, void (*each)(void *ctx, uint64_t low, uint64_t high), void *ctx);

/*
 * Landing pads: code at which a function continues if a call in it throws. They are in
 * .gcc_except_table, where gcc and clang write exception tables with the encodings of .eh_frame.
 */
struct landing_pad {
	uint64_t low, high; /* range of the call instructions */
	uint64_t pad;
};
struct landing_pads {
	struct landing_pad *items;
	size_t count, capacity;
};

/* Appends the landing pads of the function at `offset` to out, which the caller frees. Appends none
   if the table is missing or broken. */
void landing_pads(struct module *m, uint64_t offset, struct landing_pads *out);

/*
 * The frames of a stopped thread, from the innermost outward. The process is accessed only through
 * struct dwarf_program. Addresses include load addresses, offsets do not. Errors are ERROR_STATE;
 * no result is ever a guess.
 */

/* ---- access to the program ------------------------------------------------------------------ */

/* DWARF numbers of registers that are wider than struct arch_regs (System V ABI, figure 3.36). */
enum {
	DWARF_XMM0 = 17, /* to 32: 16 bytes */
	DWARF_ST0 = 33,	 /* to 40: 10 bytes */
	DWARF_FS_BASE = 58,
};

/* Functions that the owner of the process supplies. `thread` identifies a stopped thread. Those
   that return int return 0, or -1. */
struct dwarf_program {
	void *ctx;
	/* Reads all n bytes or none. */
	int (*read)(void *ctx, uint64_t address, void *buf, size_t n);
	/* Writes all n bytes or none. */
	int (*write)(void *ctx, uint64_t address, const void *buf, size_t n);
	/* Returns the i-th loaded module, the executable first, or NULL past the last one. */
	struct module *(*module)(void *ctx, size_t i, uint64_t *bias);
	/* Returns the module that holds the address, or NULL. */
	struct module *(*module_at)(void *ctx, uint64_t address, uint64_t *bias);
	/* Finds the start of the thread's block of the module's thread-local variables (offset 0 of
	   its PT_TLS). Returns -1 if the thread has not allocated it. */
	int (*tls)(void *ctx, void *thread, struct module *m, uint64_t *base);
	/* Reads n bytes of XMM, ST or FS_BASE in the innermost frame, from its lowest byte on. */
	int (*vector)(void *ctx, void *thread, unsigned dwarf, void *buf, size_t n);
	/* Sets a register of the innermost frame: 8 bytes of a general one, or the low n bytes of
	   an XMM. */
	int (*set_register)(void *ctx, void *thread, unsigned dwarf, const void *buf, size_t n);
};

/* Returns the i-th module, or NULL past the last one. `p` or its function may be NULL. */
static inline struct module *dwarf_module(const struct dwarf_program *p, size_t i, uint64_t *bias)
{
	return p && p->module ? p->module(p->ctx, i, bias) : NULL;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* A physical frame. A function and the copies inlined into it share one (struct inspect_call). */
struct dwarf_frame {
	const struct dwarf_program *program;
	void *thread;
	unsigned level;	       /* 0: the innermost */
	struct module *module; /* NULL: code of no known file */
	uint64_t bias;
	uint64_t pc;
	/* Address for look-ups of code: pc, or the byte before it if pc is a return address. */
	uint64_t lookup_pc;
	uint64_t regs[17]; /* by DWARF number; valid if `known` has the bit */
	uint32_t known;
	bool signal; /* the trampoline that a signal handler returns to */
};

/* Makes the innermost frame of a stopped thread. */
void dwarf_frame_first(const struct dwarf_program *program, void *thread,
		       const struct arch_regs *regs, struct dwarf_frame *out);

/* Makes the caller's frame. Returns 1, 0 if this frame is the outermost, or -1 with *err set. */
int dwarf_frame_up(const struct dwarf_frame *frame, struct dwarf_frame *out, struct error *err);

/* Computes the canonical frame address, the stack pointer before the call that made the frame.
   Returns 0, or -1 with *err set. */
int dwarf_frame_cfa(const struct dwarf_frame *frame, uint64_t *cfa, struct error *err);

/* Finds the rule for the CFA at this instruction: register `reg` (a DWARF number) plus `add`. The
   CFA is constant from the call to the return. Returns false if there is no such rule. */
bool dwarf_cfa(struct module *m, uint64_t offset, unsigned *reg, int64_t *add);

/* ---- call sites: DIEs DW_TAG_call_site, or GNU's before DWARF 5 ----------------------------- */

/* A function that is not inlined. */
struct call_owner {
	struct die_table *table;
	struct scope_ref scope;
	uint64_t low; /* offset of its first instruction */
};

/* Sets the error "optimised out at this line; ...: WHY". Returns -1. */
int callsite_unavailable(struct error *err, const char *why);
/* Finds the function at the offset. Returns 0, or -1 with *err set if there is no debug
   information. */
int callsite_owner(struct module *m, uint64_t offset, struct call_owner *out, struct error *err);

/* A walk over the call sites of a function, those of its inlined copies included. */
struct call_walk {
	const struct call_owner *in;
	uint64_t at; /* next DIE, the function's own at the start */
	unsigned depth, steps;
};
/* Starts a walk. */
struct call_walk callsite_walk(const struct call_owner *in);
/* Reads the next call site. Returns 1, 0 at the end, or -1 with *err set. */
int callsite_next(struct call_walk *w, struct entry *out, struct error *err);

/* Reads the call's return address, an offset of the module. Returns false if the DIE lacks it. */
bool callsite_return(const struct entry *site, uint64_t *out);
/* Returns the DIE of the function that is called, or 0 if the call site does not name it. */
uint64_t callsite_origin(const struct entry *site);
/* Replaces a DIE by the end of its chain of abstract origins and specifications. Returns 0, or -1
   with *err set. */
int callsite_root(struct entry *e, struct error *err);
/* Returns the linkage name, or the name if there is none. */
const char *callsite_linkage(const struct entry *e);

/* Finds the functions between a frame and its caller that left by a tail call, the innermost first.
   Returns their count, 0 if it is not certain. (tailcalls.c) */
size_t tailcalls_between(const struct dwarf_frame *callee, const struct dwarf_frame *caller,
			 struct dwarf_frame *out, size_t most);

#endif
