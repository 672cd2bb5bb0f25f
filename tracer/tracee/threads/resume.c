/* Resumes threads: past their traps, with their signals. */
#include "tracer/tracee/fastpath/resident_internal.h"
#include "tracer/tracee/snapshot/rewind.h"

#include <sys/ptrace.h>

static int read_of(void *ctx, uint64_t addr, void *buf, size_t n)
{
	return memory_read(space_of(ctx), addr, buf, n);
}

static int write_of(void *ctx, uint64_t addr, const void *buf, size_t n)
{
	struct thread *th = ctx;

	return tracee_write(th->pub.process, addr, buf, n);
}

/* Raises the fault that the processor would have raised: an emulated
   instruction could not access memory. */
static void resume_fault(struct thread *th)
{
	siginfo_t info = {.si_signo = SIGSEGV, .si_code = SEGV_MAPERR};

	info.si_addr = (void *)(th->regs.rsp - 8);
	thread_set_pc(th, th->site->pub.addr);
	ptrace(PTRACE_SETSIGINFO, th->pub.tid, 0, &info);
	thread_continue(th, SIGSEGV);
}

static bool emulate(struct thread *th, const struct site *site)
{
	const struct arch_memory memory = {read_of, write_of, th};
	struct user_regs_struct regs;
	struct arch_regs arch;

	if (thread_regs(th) < 0) /* dying */
		return true;
	regs = th->regs;
	regs_to_arch(&regs, &arch);
	arch.dwarf[ARCH_DWARF_PC] = site->pub.addr;
	if (!arch_emulate(site->bytes, site->readable, site->pub.addr, &arch, &memory))
		return false;
	regs_from_arch(&arch, &regs);
	thread_set_regs(th, &regs);
	return true;
}

bool thread_pass(struct thread *th, const struct site *site)
{
	if (site->is_trap)
		return false;
	if (!site->copy)
		return emulate(th, site);
	thread_set_pc(th, site->copy);
	return true;
}

static void pass_site(struct thread *th)
{
	const struct site *site = th->site;

	if (!site->is_trap)
		trap_go_on(th);
	if (th->pub.state != TRACEE_STOPPED) /* the thread was killed meanwhile */
		return;
	if (site->is_trap) { /* the reported SIGTRAP is also the program's own */
		if (th->settled)
			thread_set_pc(th, site->pub.addr + ARCH_TRAP_LEN);
		th->stop = STOP_SIGNAL;
		th->signal = SIGTRAP;
		th->pc = 0; /* the thread is not in a copy */
		restart_deliver(th);
	} else if (thread_pass(th, site)) {
		thread_continue(th, 0);
	} else {
		resume_fault(th);
	}
}

void tracee_resume(struct tracee *t, struct tracee_thread *thread)
{
	struct thread *th = thread_of(thread);

	(void)t;
	if (th->pub.state != TRACEE_STOPPED || granted_go_on(th) ||
	    (th->stop == STOP_CALL && rewind_ends(th)))
		return;
	if (th->stop == STOP_SITE)
		pass_site(th);
	else if (th->stop == STOP_SIGNAL)
		restart_deliver(th);
	else if (th->stop == STOP_PAUSE)
		pause_end(th);
	else if (th->stop == STOP_START && th->group_signal)
		thread_listen(th);
	else
		thread_continue(th, 0);
}

void tracee_drop_signal(struct tracee_thread *thread)
{
	thread_of(thread)->signal = 0;
}

bool tracee_signal_of_kernel(const struct tracee_thread *thread)
{
	siginfo_t info;

	return !ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &info) && info.si_code == SI_KERNEL;
}
