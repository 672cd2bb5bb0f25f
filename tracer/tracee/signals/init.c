/*
 * The first process of a PID namespace. The kernel discards its fatal faults if it is
 * traced, so the instruction would fault for ever. The process is detached before the
 * instruction and ends as it would alone.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_MS = 5000 }; /* limit for the end of the process, with a core file perhaps */

static bool is_init(pid_t pid)
{
	char text[4096];
	const char *value, *last;

	if (look_status_text(pid, text, sizeof(text)) <= 0)
		return false;
	value = strstr(text, "\nNSpid:");
	if (!value)
		return false;
	text[(size_t)(value + 1 - text) + strcspn(value + 1, "\n")] = '\0';
	last = strrchr(value, '\t');
	return last && strcmp(last, "\t1") == 0;
}

static bool is_fault(const struct thread *th)
{
	siginfo_t info = {0};

	if (th->info)
		info = *th->info;
	else if (ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, &info) < 0)
		return false;
	return info.si_code > 0;
}

bool init_stays(const struct thread *th)
{
	struct tracee_signals has;

	/* the signals outside of remote_blocked() are those that an instruction raises */
	return th->signal && th->signal != SIGKILL && th->signal < 32 &&
	       !(remote_blocked() >> (th->signal - 1) & 1) && is_fault(th) &&
	       !tracee_signals_of(th->pub.tid, &has) && !look_has(has.caught, th->signal) &&
	       is_init(th->pub.process->pid);
}

static void clean(struct tracee *t, struct tracee_space *space)
{
	array_each(struct site_entry, entry, &space->sites)
		if (entry->site->state == SITE_ARMED) {
			memory_restore(t, space, entry->site);
			entry->site->state = SITE_RETIRED;
		}
}

/* Sets the pc back to a trap of the program's own, which the thread has just passed. */
static void step_back(struct thread *th)
{
	uint8_t byte;
	uint64_t pc;

	if (th->signal == SIGTRAP && !thread_pc(th, &pc) &&
	    !memory_read(space_of(th), pc - ARCH_TRAP_LEN, &byte, 1) && byte == arch_trap[0])
		thread_set_pc(th, pc - ARCH_TRAP_LEN);
}

static int status_of_end(pid_t pid, int fd, int signal)
{
	struct pollfd end = {.fd = fd, .events = POLLIN};
	struct timespec limit = {.tv_sec = MOST_MS / 1000};
	sigset_t all;
	int status;

	sigfillset(&all);
	if (fd < 0 || ppoll(&end, 1, &limit, &all) != 1)
		kill(pid, SIGKILL);
	return waitpid(pid, &status, __WALL | WNOHANG) == pid ? status : signal;
}

/* Detaches the process and waits for its end. Returns false if other threads
   may be in gatectl's traps. */
static bool init_let_go(struct tracee *t, struct thread *th)
{
	struct tracee_space *space = space_of(th);
	pid_t pid = th->pub.process->pid;
	int fd, signal = th->signal;

	if (th->pub.process->threads > 1 || space->users > 1)
		return false;
	step_back(th);
	clean(t, space);
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	ptrace(PTRACE_DETACH, th->pub.tid, 0, 0);
	t->on_status(t, th->pub.tid, status_of_end(pid, fd, signal));
	if (fd >= 0)
		close(fd);
	return true;
}

void init_end(struct thread *th)
{
	struct process *p = (struct process *)th->pub.process;

	if (init_let_go(th->tracee, th))
		return;
	p->ends_by = th->signal;
	kill(p->pub.pid, SIGKILL);
	thread_continue(th, 0);
}
