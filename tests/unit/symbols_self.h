/*
 * For tests of symbols: a program that inspects itself, without a tracer. Memory is read by
 * process_vm_readv, so that a bad address is an error and no crash; registers come from getcontext.
 */
#ifndef TESTS_SYMBOLS_SELF_H
#define TESTS_SYMBOLS_SELF_H

#include "tracer/base/array.h"
#include "tracer/inspect/inspect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <link.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

struct self {
	struct modules *symbols;
	struct {
		struct module *module;
		uint64_t bias, low, high;
	} modules[16];
	size_t count, reads;
	uint64_t xmm; /* value of each register in `vector` */
	struct dwarf_program program;
};

static int self_read(void *ctx, uint64_t address, void *buf, size_t n)
{
	struct iovec here = {.iov_base = buf, .iov_len = n};
	struct iovec there = {.iov_base = (void *)address, .iov_len = n};
	struct self *self = ctx;

	self->reads++;
	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n ? 0 : -1;
}

static struct module *self_module(void *ctx, size_t i, uint64_t *bias)
{
	struct self *self = ctx;

	if (i >= self->count)
		return NULL;
	*bias = self->modules[i].bias;
	return self->modules[i].module;
}

static struct module *self_module_at(void *ctx, uint64_t address, uint64_t *bias)
{
	struct self *self = ctx;

	for (size_t i = 0; i < self->count; i++) {
		if (address < self->modules[i].low || address >= self->modules[i].high)
			continue;
		*bias = self->modules[i].bias;
		return self->modules[i].module;
	}
	return NULL;
}

static int self_vector(void *ctx, void *thread, unsigned dwarf, void *buf, size_t n)
{
	struct self *self = ctx;

	(void)thread;
	(void)dwarf;
	memcpy(buf, &self->xmm, n);
	return 0;
}

/* Thread-local variables of the executable end at the address in fs. */
static int self_tls(void *ctx, void *thread, struct module *m, uint64_t *base)
{
	uint64_t fs;

	(void)ctx;
	(void)thread;
	__asm__("mov %%fs:0, %0" : "=r"(fs));
	*base = module_tls_before(m, fs);
	return *base ? 0 : -1;
}

static int self_add(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
	struct self *self = ctx;
	ERROR(err);
	uint64_t low, high;

	(void)size;
	if (self->count == 16 || path[0] != '/')
		return 0; /* the vdso has no file */
	self->modules[self->count].module = modules_open(self->symbols, path, &err);
	if (!self->modules[self->count].module)
		fail_msg("%s", err.text);
	module_span(self->modules[self->count].module, &low, &high);
	self->modules[self->count].bias = info->dlpi_addr;
	self->modules[self->count].low = info->dlpi_addr + low;
	self->modules[self->count++].high = info->dlpi_addr + high;
	return 0;
}

static struct self *self_new(void)
{
	struct self *self = base_alloc(1, sizeof(*self));

	self->symbols = modules_new();
	dl_iterate_phdr(self_add, self);
	self->program = (struct dwarf_program){.ctx = self,
					       .read = self_read,
					       .module = self_module,
					       .module_at = self_module_at,
					       .tls = self_tls,
					       .vector = self_vector};
	return self;
}

static void self_free(struct self *self)
{
	modules_free(self->symbols);
	base_free(self);
}

/* Registers of a ucontext in DWARF's order. Not inlined: no copy may lie where a test reads. */
__attribute__((noinline, unused)) static struct arch_regs self_regs(const ucontext_t *u)
{
	static const int order[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				      REG_RBP, REG_RSP, REG_R8,	 REG_R9,  REG_R10, REG_R11,
				      REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	struct arch_regs regs = {.flags = 0};

	for (int i = 0; i < 17; i++)
		regs.dwarf[i] = (uint64_t)u->uc_mcontext.gregs[order[i]];
	return regs;
}

/* The current frame; getcontext must run in it. */
#define self_frame(self, out)                                                                      \
	do {                                                                                       \
		ucontext_t u_;                                                                     \
		struct arch_regs regs_;                                                            \
                                                                                                   \
		getcontext(&u_);                                                                   \
		regs_ = self_regs(&u_);                                                            \
		dwarf_frame_first(&(self)->program, NULL, &regs_, out);                            \
	} while (0)

#endif
