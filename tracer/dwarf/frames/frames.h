/*
 * Call frame information: .eh_frame, .debug_frame (DWARF 5 standard, 6.4; System V ABI; Linux
 * Standard Base, 10.6). Read by hand, as libdwarf makes an object for every function of a library
 * before it answers anything, and cannot look at bytes of a program's memory (the vdso).
 *
 * Corrupt input is "not known", or an error where a row is asked; never a crash.
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
uint64_t cfi_number(struct cursor *c, uint8_t encoding);
uint64_t cfi_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding);
/* A pointer as .eh_frame_hdr has it: for finding .eh_frame in memory. False: not understood. */
bool cfi_pointer_at(const struct cfi_section *s, size_t at, uint8_t encoding, uint64_t *out);

/* The rules of a module's code: of its .eh_frame, else of .debug_frame. As cfi_row. (call_frames.c) */
int frames_row(struct module *m, uint64_t offset, struct cfi_row *out, struct error *err);

bool frames_is_signal(struct module *m, uint64_t offset);

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

/*
 * The frames of a stopped thread, from the innermost outwards.
 *
 * No process is known here: what is needed of one comes through struct dwarf_program, a table of
 * functions of run's. Addresses are the program's (load addresses included), unless they are called
 * offsets. Errors are ERROR_STATE. Nothing is ever a guess.
 */

/* ---- the program, as the run shows it --------------------------------------------------- */

/* DWARF numbers of registers that are wider than struct arch_regs (System V ABI, figure 3.36). */
enum {
	DWARF_XMM0 = 17, /* .. 32: 16 bytes */
	DWARF_ST0 = 33,	 /* .. 40: 10 bytes */
	DWARF_FS_BASE = 58,
};

/* `thread` identifies a stopped thread for the run. All return 0, or -1. */
struct dwarf_program {
	void *ctx;
	/* All n bytes or none. */
	int (*read)(void *ctx, uint64_t address, void *buf, size_t n);
	int (*write)(void *ctx, uint64_t address, const void *buf, size_t n);
	/* The i-th loaded module, the executable first; NULL behind the last one. */
	struct module *(*module)(void *ctx, size_t i, uint64_t *bias);
	/* The module that holds the address, or NULL. */
	struct module *(*module_at)(void *ctx, uint64_t address, uint64_t *bias);
	/* Where this thread's block of the module's thread-local variables begins (offset 0 of its
	   PT_TLS). -1: not made yet, or none. */
	int (*tls)(void *ctx, void *thread, struct module *m, uint64_t *base);
	/* XMM, ST and FS_BASE of the innermost frame; n bytes from its lowest on. */
	int (*vector)(void *ctx, void *thread, unsigned dwarf, void *buf, size_t n);
	/* Sets a register of the innermost frame: 8 bytes of a general one, or an XMM (n bytes, the
	   rest stays). */
	int (*set_register)(void *ctx, void *thread, unsigned dwarf, const void *buf, size_t n);
};

/* The i-th module, or NULL behind the last one; `p` may be NULL, or know no modules. */
static inline struct module *dwarf_module(const struct dwarf_program *p, size_t i, uint64_t *bias)
{
	return p && p->module ? p->module(p->ctx, i, bias) : NULL;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* A physical frame. Inlined copies share one: struct inspect_call tells them apart. */
struct dwarf_frame {
	const struct dwarf_program *program;
	void *thread;
	unsigned level;	       /* 0: where the thread is */
	struct module *module; /* NULL: code of no known file */
	uint64_t bias;
	uint64_t pc;
	/* The address to look the code up by: pc, or the byte before it where pc is a return address. */
	uint64_t lookup_pc;
	uint64_t regs[17]; /* by DWARF number; valid where `known` has the bit */
	uint32_t known;
	bool signal; /* the trampoline that a signal handler returns to */
};

/* The innermost frame of a stopped thread. */
void dwarf_frame_first(const struct dwarf_program *program, void *thread,
		       const struct arch_regs *regs, struct dwarf_frame *out);

/* The frame that called this one: 1; 0: there is none (outermost); -1: it cannot be told. */
int dwarf_frame_up(const struct dwarf_frame *frame, struct dwarf_frame *out, struct error *err);

/* Canonical frame address: the stack pointer before the call that made this frame. 0, or -1. */
int dwarf_frame_cfa(const struct dwarf_frame *frame, uint64_t *cfa, struct error *err);

/* The frame of the function at this instruction: its canonical address is register `reg` (a DWARF
   number) plus `add`, and stays the same from the call to the return. False: not known. */
bool dwarf_cfa(struct module *m, uint64_t offset, unsigned *reg, int64_t *add);

/* Between the files that ask for calls: entries DW_TAG_call_site, or GNU's before DWARF 5. */

/* A function without its copies. */
struct call_owner {
	struct die_table *table;
	struct scope_ref scope;
	uint64_t low; /* where it begins, in the module */
};

/* "optimised out at this line; ...: WHY"; -1 */
int callsite_unavailable(struct error *err, const char *why);
/* The function that holds the offset. 0, or -1: no debug information tells. */
int callsite_owner(struct module *m, uint64_t offset, struct call_owner *out, struct error *err);

/* Over the calls of a function, those of its copies included. */
struct call_walk {
	const struct call_owner *in;
	uint64_t at; /* the entry that is next: begin with that of the function */
	unsigned depth, steps;
};
struct call_walk callsite_walk(const struct call_owner *in);
/* 1, 0 at the end, -1. */
int callsite_next(struct call_walk *w, struct entry *out, struct error *err);

/* The address behind the call; false: it does not say. */
bool callsite_return(const struct entry *site, uint64_t *out);
/* The entry of the function that it calls; 0: it does not say. */
uint64_t callsite_origin(const struct entry *site);
/* The end of the chain from an entry to what it is a copy or a definition of. */
int callsite_root(struct entry *e, struct error *err);
const char *callsite_linkage(const struct entry *e);

/* Functions between a frame and the one that it returns to which left by a jump: the innermost
   first, how many. 0 where that is not certain. (tailcalls.c) */
size_t tailcalls_between(const struct dwarf_frame *callee, const struct dwarf_frame *caller,
			 struct dwarf_frame *out, size_t most);

#endif
