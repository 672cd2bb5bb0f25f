/*
 * Takes over a program that runs already.
 *
 * Every thread is seized and stopped for a moment; nobody sees a signal, and system calls go on
 * where they were. Threads made meanwhile are ours by then, because their creators are. Children
 * that the process has already are programs of their own and stay alone, but for one that still
 * shares its memory (vfork): it would run into our traps.
 */
#include "tracer/target/internal.h"
#include "tracer/target/refusal.h"

#include <dirent.h>
#include <errno.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- is there anything to attach to? -------------------------------------------------------- */

static bool shares_memory(pid_t a, pid_t b)
{
	return !syscall(SYS_kcmp, a, b, KCMP_VM, 0UL, 0UL);
}

static bool is_zombie(pid_t pid)
{
	const struct target_thread thread = {.tid = pid};
	struct target_block look;

	target_look(&thread, &look);
	return look.activity == TARGET_DEAD;
}

/* A process whose first thread has ended while others run looks like a zombie, too. */
static size_t count_threads(pid_t pid)
{
	long n = look_status(pid, "Threads");

	return n > 0 ? (size_t)n : 0;
}

static int check_process(pid_t pid, struct error *err)
{
	long group = look_status(pid, "Tgid");

	if (group < 0) {
		error_set(err, ERROR_USAGE, "there is no process %d", pid);
		return error_hint(err, "pgrep -a NAME lists the processes of a program");
	}
	if (group != pid) {
		error_set(err, ERROR_USAGE, "%d is a thread of process %ld", pid, group);
		return error_hint(err, "gatectl attach ... %ld", group);
	}
	if (pid == getpid() || pid == getppid())
		return error_set(err, ERROR_USAGE, "%d is gatectl itself or who has started it",
				 pid);
	if (is_zombie(pid) && count_threads(pid) < 2) {
		error_set(err, ERROR_CANNOT_TRACE,
			  "process %d has ended already: it is a zombie, for which its parent %ld "
			  "has not waited",
			  pid, look_status(pid, "PPid"));
		return error_hint(err, "start the program again");
	}
	if (look_status(pid, "VmSize") < 0 && !is_zombie(pid)) {
		error_set(err, ERROR_CANNOT_TRACE, "%d is a thread of the kernel", pid);
		return error_hint(err, "give the number of a program's process");
	}
	return 0;
}

/* What shares its memory with its parent would leave our traps there when it execs. */
static int check_parent(pid_t pid, struct error *err)
{
	pid_t parent = (pid_t)look_status(pid, "PPid");

	if (parent <= 0 || !shares_memory(pid, parent))
		return 0;
	error_set(err, ERROR_CANNOT_TRACE,
		  "process %d shares its memory with its parent %d (vfork) until it execs", pid,
		  parent);
	return error_hint(err, "gatectl attach ... %d, or wait until it has run its program",
			  parent);
}

/* ---- seizing -------------------------------------------------------------------------------- */

static long options_of(const struct target *t)
{
	long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		       PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;

	return t->trace_exit ? options | PTRACE_O_TRACEEXIT : options;
}

/* 1; 0: it is ours already, or has ended; -1 */
static int seize_thread(struct target *t, struct process *p, pid_t tid, struct error *err)
{
	struct thread *th;

	if (thread_find(t, tid))
		return 0;
	if (ptrace(PTRACE_SEIZE, tid, 0, options_of(t)) < 0) {
		int number = errno;

		if (number == ESRCH || is_zombie(tid) || look_status(tid, "TracerPid") == getpid())
			return 0;
		return refusal_of_attach(tid, number, err);
	}
	th = thread_new(t, p, tid, NULL);
	th->pub.found = true;
	thread_set_state(th, TARGET_RUNNING);
	th->stop = STOP_NONE;
	return 1;
}

/* How many threads were seized in this pass, or -1. */
static int seize_pass(struct target *t, struct process *p, struct error *err)
{
	char path[64];
	struct dirent *entry;
	int seized = 0, one = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", p->pub.pid);
	tasks = opendir(path);
	if (!tasks)
		return 0;
	while (one >= 0 && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.')
			continue;
		one = seize_thread(t, p, (pid_t)atoi(entry->d_name), err);
		seized += one > 0;
	}
	closedir(tasks);
	return one < 0 ? -1 : seized;
}

/* Until a pass finds nobody new: from then on all that are made are ours from their birth. */
static int seize_all(struct target *t, struct process *p, struct error *err)
{
	int seized;

	do
		seized = seize_pass(t, p, err);
	while (seized > 0);
	return seized;
}

/* ---- children that share the memory --------------------------------------------------------- */

static int take_sharers(struct target *t, struct process *parent, struct error *err);

static int take_sharer(struct target *t, struct process *parent, pid_t pid, struct error *err)
{
	struct process *p;

	if (process_find(t, pid) || !shares_memory(parent->pub.pid, pid) ||
	    look_status(pid, "TracerPid") == getpid())
		return 0;
	p = process_new(t, pid, &parent->pub, parent->pub.space);
	p->pub.unfollowed = t->no_follow;
	return seize_all(t, p, err) < 0 ? -1 : take_sharers(t, p, err);
}

static int take_sharers(struct target *t, struct process *parent, struct error *err)
{
	char text[4096], *end;
	struct thread *th;
	int failed = 0;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		char name[64];

		snprintf(name, sizeof(name), "task/%d/children", th->pub.tid);
		if (th->pub.process != &parent->pub ||
		    look_proc(parent->pub.pid, name, text, sizeof(text)) <= 0)
			continue;
		for (char *at = text; !failed; at = end) {
			long pid = strtol(at, &end, 10);

			if (end == at)
				break;
			failed = take_sharer(t, parent, (pid_t)pid, err);
		}
	}
	return failed;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static struct target *target_of_attach(const struct target_attach *how)
{
	struct target *t = base_alloc(1, sizeof(*t));

	TAILQ_INIT(&t->threads);
	TAILQ_INIT(&t->processes);
	t->no_follow = how->no_follow;
	t->trace_exit = how->trace_exit;
	t->attached = true;
	t->last.kind = TARGET_TICK;
	return t;
}

/* Who is best asked to make a system call for us. */
static struct thread *choose_helper(struct target *t, struct thread *otherwise)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (th->pub.found && th->pub.process->is_root && th->stop == STOP_PAUSE)
		return th;
	return otherwise;
}

static int take_over(struct target *t, pid_t pid, struct error *err)
{
	struct process *p = process_new(t, pid, NULL, space_new(pid));
	struct thread *first;

	p->pub.is_root = true;
	if (seize_all(t, p, err) < 0 || check_parent(pid, err) < 0 || take_sharers(t, p, err) < 0)
		return -1;
	first = TAILQ_FIRST(&t->threads);
	if (!first)
		return error_set(err, ERROR_USAGE, "process %d has just ended", pid);
	event_push(t, TARGET_ATTACHED, first);
	halt_all(t);
	t->queue.items[0].thread = &choose_helper(t, first)->pub;
	return 0;
}

struct target *target_attach(const struct target_attach *how, struct error *err)
{
	struct target *t;

	if (refusal_before(err) < 0 || check_process(how->pid, err) < 0)
		return NULL;
	signals_open(how->tick_ms);
	t = target_of_attach(how);
	if (!take_over(t, how->pid, err))
		return t;
	target_free(t);
	return NULL;
}

void target_let_found_go(struct target *t)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (th->pub.found && th->stop == STOP_PAUSE)
		target_resume(t, &th->pub);
}
