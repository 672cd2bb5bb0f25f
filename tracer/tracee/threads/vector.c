/* Registers by DWARF number: reads vector registers, sets any register. */
#include "tracer/tracee/tracee_internal.h"

#include <string.h>
#include <sys/ptrace.h>

enum {
	XMM_FIRST = 17,
	XMM_COUNT = 16,
	XMM_SIZE = 16,
	ST_FIRST = 33,
	ST_COUNT = 8,
	ST_SIZE = 10,
	ST_SLOT = 16, /* bytes per register; the first one is the top of the stack */
};

/* Returns the place of a register in the kernel's struct, or NULL. */
static uint8_t *vector_at(struct user_fpregs_struct *regs, unsigned dwarf, size_t n)
{
	if (dwarf >= XMM_FIRST && dwarf < XMM_FIRST + XMM_COUNT && n <= XMM_SIZE)
		return (uint8_t *)regs->xmm_space + (size_t)(dwarf - XMM_FIRST) * XMM_SIZE;
	if (dwarf >= ST_FIRST && dwarf < ST_FIRST + ST_COUNT && n <= ST_SIZE)
		return (uint8_t *)regs->st_space + (size_t)(dwarf - ST_FIRST) * ST_SLOT;
	return NULL;
}

int tracee_vector(struct tracee_thread *thread, unsigned dwarf, void *buf, size_t n)
{
	struct user_fpregs_struct regs;
	const uint8_t *at = vector_at(&regs, dwarf, n);

	if (!at || thread->state != TRACEE_STOPPED ||
	    ptrace(PTRACE_GETFPREGS, thread->tid, 0, &regs) < 0)
		return -1;
	memcpy(buf, at, n);
	return 0;
}

static int set_general(struct thread *th, unsigned dwarf, const void *buf, size_t n)
{
	struct user_regs_struct regs;
	struct arch_regs arch;

	if (dwarf == ARCH_DWARF_SP || n > sizeof(arch.dwarf[0]) || thread_regs(th) < 0)
		return -1;
	regs = th->regs;
	regs_to_arch(&regs, &arch);
	memcpy(&arch.dwarf[dwarf], buf, n);
	regs_from_arch(&arch, &regs);
	return thread_set_regs(th, &regs);
}

int tracee_set_register(struct tracee_thread *thread, unsigned dwarf, const void *buf, size_t n)
{
	struct user_fpregs_struct regs;
	uint8_t *at = vector_at(&regs, dwarf, n);

	if (dwarf < ARCH_DWARF_PC)
		return set_general(thread_of(thread), dwarf, buf, n);
	if (!at || dwarf >= ST_FIRST || thread->state != TRACEE_STOPPED ||
	    ptrace(PTRACE_GETFPREGS, thread->tid, 0, &regs) < 0)
		return -1;
	memcpy(at, buf, n);
	return ptrace(PTRACE_SETFPREGS, thread->tid, 0, &regs) < 0 ? -1 : 0;
}
