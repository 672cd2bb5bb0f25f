/*
 * Opens the /proc files of a newborn process that is not dumpable: its thread makes the
 * process dumpable for a moment (prctl(2)). The thread is not in the tables yet; dumpable.c
 * does the same for one that is.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { SYSCALL_LENGTH = 2 };

/* Waits for a stop. The end of the process is left to those who wait for it. */
static bool stops(pid_t tid, int *status)
{
	siginfo_t info = {0};

	while (waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL) < 0)
		if (errno != EINTR)
			return false;
	return (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) &&
	       waitpid(tid, status, __WALL) == tid && WIFSTOPPED(*status);
}

/* Resumes until a system call's entry or exit (PTRACE_O_TRACESYSGOOD). Signals are blocked, so
   other stops are faults, or belong to the end of the thread. */
static bool goes_to_call(pid_t tid)
{
	int status;

	do {
		if (ptrace(PTRACE_SYSCALL, tid, 0, 0) < 0 || !stops(tid, &status))
			return false;
	} while (status >> 16 == PTRACE_EVENT_STOP || status >> 16 == PTRACE_EVENT_SECCOMP);
	return status >> 8 == (SIGTRAP | 0x80);
}

static bool makes_prctl(pid_t tid, const struct disclosed *d, long option, long value, int64_t *out)
{
	struct user_regs_struct regs = d->regs;

	regs.eflags &= ~(1ull << 8); /* the program may be single-stepping itself */
	regs.orig_rax = (unsigned long long)-1;
	regs.rax = SYS_prctl;
	regs.rdi = (unsigned long long)option;
	regs.rsi = (unsigned long long)value;
	regs.rip -= SYSCALL_LENGTH;
	if (ptrace(PTRACE_SETREGS, tid, 0, &regs) < 0 || !goes_to_call(tid) || !goes_to_call(tid) ||
	    ptrace(PTRACE_GETREGS, tid, 0, &regs) < 0)
		return false;
	*out = (int64_t)regs.rax;
	return true;
}

static void as_before(pid_t tid, const struct disclosed *d)
{
	ptrace(PTRACE_SETREGS, tid, 0, &d->regs);
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(d->mask), &d->mask);
}

static bool is_birth(uint64_t number)
{
	return number == SYS_fork || number == SYS_vfork || number == SYS_clone ||
	       number == SYS_clone3;
}

/* A newborn process is after the syscall instruction of its birth, which
   serves for the prctl calls. */
bool disclose_newborn(pid_t tid, struct disclosed *d)
{
	const uint64_t all = ~0ull;
	int64_t answer = -1;

	if (ptrace(PTRACE_GETREGS, tid, 0, &d->regs) < 0 || !is_birth(d->regs.orig_rax) ||
	    ptrace(PTRACE_GETSIGMASK, tid, sizeof(d->mask), &d->mask) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, tid, sizeof(all), &all) < 0)
		return false;
	if (makes_prctl(tid, d, PR_GET_DUMPABLE, 0, &answer) && answer == TRACEE_NOT_DUMPABLE &&
	    makes_prctl(tid, d, PR_SET_DUMPABLE, TRACEE_DUMPABLE, &answer) && !answer)
		return true;
	as_before(tid, d);
	return false;
}

void disclose_end(pid_t tid, const struct disclosed *d)
{
	int64_t answer;

	makes_prctl(tid, d, PR_SET_DUMPABLE, TRACEE_NOT_DUMPABLE, &answer);
	as_before(tid, d);
}
