/*
 * The frames of a stopped thread, from the innermost outwards.
 *
 * No process is known here: what is needed of one comes through struct dwarf_program, a table of
 * functions of run's. Addresses are the program's (load addresses included), unless they are called
 * offsets. Errors are ERROR_STATE. Nothing is ever a guess.
 */
#ifndef GATECTL_DWARF_FRAMES_FRAME_H
#define GATECTL_DWARF_FRAMES_FRAME_H

#include "tracer/arch/arch.h"
#include "tracer/elf/module.h"

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

#endif
