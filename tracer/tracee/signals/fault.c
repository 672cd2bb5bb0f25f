/* The signal that a thread is about to take: its origin, and whether it ends the process. */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Reads the siginfo: the kernel's, or the one kept because tracee_call() has overwritten that. */
static int info_of(const struct thread *th, siginfo_t *out)
{
	if (th->info)
		*out = *(const siginfo_t *)th->info;
	else if (ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, out) < 0)
		return -1;
	return 0;
}

static bool is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGTRAP;
}

static bool is_sent(int code)
{
	return code == SI_USER || code == SI_TKILL || code == SI_QUEUE;
}

/* True if the process is in another PID namespace: the ids in its siginfo are not gatectl's. */
static bool is_namespaced(pid_t pid)
{
	char path[64];
	struct stat own, theirs;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	return stat("/proc/self/ns/pid", &own) < 0 || stat(path, &theirs) < 0 ||
	       own.st_ino != theirs.st_ino;
}

int tracee_fault(const struct tracee_thread *thread, struct tracee_fault *out)
{
	const struct thread *th = (const struct thread *)thread;
	siginfo_t info;

	*out = (struct tracee_fault){.signal = th->signal};
	if (info_of(th, &info) < 0)
		return -1;
	out->code = info.si_code;
	if (is_sent(info.si_code))
		out->sender = info.si_pid;
	else if (is_fault(th->signal) && info.si_code > 0 && info.si_code != SI_KERNEL) {
		out->has_address = true;
		out->address = (uint64_t)(uintptr_t)info.si_addr;
	} else if (th->signal == SIGSYS) {
		out->number = info.si_syscall;
	} else if (th->signal == SIGCHLD &&
		   (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)) {
		out->child = is_namespaced(thread->tid) ? 0 : info.si_pid;
		out->ended_by = info.si_status;
	}
	return 0;
}

/* True if the process is a zombie. *status is the last number of its
   stat line, in waitpid's form. */
static bool has_ended(pid_t pid, int *status)
{
	char text[1024];
	const char *name_end, *last;

	if (look_proc(pid, "stat", text, sizeof(text)) <= 0)
		return false;
	name_end = strrchr(text, ')');
	last = strrchr(text, ' ');
	if (!name_end || !last || strncmp(name_end, ") Z", 3) != 0)
		return false;
	*status = atoi(last);
	return true;
}

/* Reads /proc/PID/task/TID/children. Returns its length, or -1. */
static int look_children(pid_t tid, char *text, size_t size)
{
	char name[32];

	snprintf(name, sizeof(name), "task/%d/children", tid);
	return look_proc(tid, name, text, size);
}

bool tracee_has_unseen_child(const struct tracee_thread *thread)
{
	char text[4096], *at = text, *end;
	int status;

	if (look_children(thread->tid, text, sizeof(text)) <= 0)
		return false;
	for (long pid; (pid = strtol(at, &end, 10)) > 0; at = end)
		if (!has_ended((pid_t)pid, &status) && !look_is_ours((pid_t)pid))
			return true;
	return false;
}

pid_t tracee_dead_child(const struct tracee_thread *thread, int signal)
{
	char text[4096], *at = text, *end;
	int status;

	if (look_children(thread->tid, text, sizeof(text)) <= 0)
		return 0;
	for (long pid; (pid = strtol(at, &end, 10)) > 0; at = end)
		if (has_ended((pid_t)pid, &status) && WIFSIGNALED(status) &&
		    WTERMSIG(status) == signal)
			return (pid_t)pid;
	return 0;
}

/* The kernel resets the action of a blocked or ignored fault before it reports the fault, so the
   action in /proc is the one that counts. */
bool tracee_signal_ends(const struct tracee_thread *thread)
{
	const struct thread *th = (const struct thread *)thread;
	struct tracee_signals has;

	return thread->state == TRACEE_STOPPED && th->stop == STOP_SIGNAL && th->signal &&
	       look_fatal_by_default(th->signal) && tracee_signals_of(thread->tid, &has) == 0 &&
	       !look_has(has.caught | has.ignored, th->signal);
}

void tracee_look_stopped(struct tracee_thread *thread, struct tracee_block *out)
{
	enum { ERESTARTSYS = 512, ERESTART_RESTARTBLOCK = 516, INTERRUPTED = 4 };
	struct thread *th = thread_of(thread);
	int64_t answer;

	*out = (struct tracee_block){.activity = TRACEE_ACTIVE, .number = -1};
	if (thread_regs(th) < 0)
		return;
	answer = -(int64_t)th->regs.rax;
	if ((int64_t)th->regs.orig_rax < 0 ||
	    !((answer >= ERESTARTSYS && answer <= ERESTART_RESTARTBLOCK) || answer == INTERRUPTED))
		return;
	out->activity = TRACEE_BLOCKED;
	out->number = (long)th->regs.orig_rax;
	memcpy(out->args,
	       (uint64_t[6]){th->regs.rdi, th->regs.rsi, th->regs.rdx, th->regs.r10, th->regs.r8,
			     th->regs.r9},
	       sizeof(out->args));
}
