/*
 * Attaches to a running program. Every thread is seized and stopped for a moment; the program sees
 * no signal, and its system calls continue. Children that it has already are not traced, except one
 * that shares its memory (vfork), which would run into the traps.
 */
#include "tracer/base/leave.h"
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/fastpath/resident_internal.h"
#include "tracer/tracee/attach/refusal.h"
#include "tracer/tracee/events/signals.h"

#include <dirent.h>
#include <errno.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the process ----------------------------------------------------------------------------- */

static bool shares_memory(pid_t a, pid_t b)
{
	return !syscall(SYS_kcmp, a, b, KCMP_VM, 0UL, 0UL);
}

/* True for a kernel thread. Its flags decide, since a process that is just
   ending has no memory either. */
static bool is_of_kernel(pid_t pid)
{
	enum { FLAGS = 7, OF_KERNEL = 0x00200000 }; /* position after the name; PF_KTHREAD */
	char text[1024], *at;

	at = look_proc(pid, "stat", text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
	for (int i = 0; at && i < FLAGS; i++)
		at = strchr(at + 1, ' ');
	return at && strtoul(at, NULL, 10) & OF_KERNEL;
}

static int look_for_another(struct error *err)
{
	return error_hint(err, "pgrep -a NAME lists the processes of a program");
}

static int check_process(pid_t pid, struct error *err)
{
	long group = look_status(pid, "Tgid");

	if (group < 0) {
		error_set(err, ERROR_USAGE, "there is no process %d", pid);
		return look_for_another(err);
	}
	if (group != pid) {
		error_set(err, ERROR_USAGE, "%d is a thread of process %ld", pid, group);
		return error_hint(err, "gatectl attach ... %ld", group);
	}
	if (pid == getpid() || pid == getppid()) {
		error_set(err, ERROR_USAGE, "%d is gatectl itself", pid);
		return look_for_another(err);
	}
	if (look_has_ended(pid)) {
		error_set(err, ERROR_CANNOT_TRACE,
			  "process %d has ended already: it is a zombie, for which its parent %ld "
			  "has not waited",
			  pid, look_status(pid, "PPid"));
		return error_hint(err, "start the program again");
	}
	if (is_of_kernel(pid)) {
		error_set(err, ERROR_CANNOT_TRACE, "%d is a thread of the kernel", pid);
		return error_hint(err, "give the number of a program's process");
	}
	return 0;
}

/* Refuses a process that shares its parent's memory: at its exec the traps would stay there. */
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

static long options_of(const struct tracee *t)
{
	long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		       PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;

	return t->trace_exit ? options | PTRACE_O_TRACEEXIT : options;
}

/*
 * Statuses that the clock's signal handler reaps; it must not use the heap. PTRACE_SEIZE
 * waits for the end of another thread's exec, and that exec waits until the traced threads
 * that it has ended are reaped.
 */
enum { MOST_REAPED = 1024, MOMENT_MS = 2 };
static struct taken reaped[MOST_REAPED];
static volatile sig_atomic_t reaped_count;

static void reap(void)
{
	struct taken *next;

	while (reaped_count < MOST_REAPED) {
		next = &reaped[reaped_count];
		next->tid = waitpid(-1, &next->status, __WALL | WNOHANG);
		if (next->tid <= 0)
			return;
		if (WIFSTOPPED(next->status) && next->status >> 16 == PTRACE_EVENT_EXIT)
			ptrace(PTRACE_CONT, next->tid, 0, 0);
		else
			reaped_count++;
	}
}

static bool seize(struct tracee *t, pid_t tid)
{
	bool done;
	int number;

	signals_when_late(reap);
	signals_limit(MOMENT_MS);
	done = !ptrace(PTRACE_SEIZE, tid, 0, options_of(t));
	number = errno;
	signals_limit(0);
	signals_when_late(NULL);
	for (int i = 0; i < reaped_count; i++)
		*array_add(&t->taken) = reaped[i];
	reaped_count = 0;
	errno = number;
	return done;
}

/*
 * Returns 1 if seized; 0 if the thread has ended or is traced already; -1 with errno if refused. A
 * thread that has just ended is refused, too. If an exec ended the first thread, another one soon
 * has its id, so it is tried again.
 */
static int ptrace_seize(struct tracee *t, pid_t tid)
{
	enum { MOST = 10 };
	int number = 0;

	for (int i = 0; i < MOST; i++) {
		if (seize(t, tid))
			return 1;
		number = errno;
		if (number == ESRCH || look_is_ours(tid) || look_is_dead(tid))
			return 0;
	}
	errno = number;
	return -1;
}

static bool was_reaped(const struct tracee *t, pid_t tid)
{
	array_each(const struct taken, taken, &t->taken)
		if (taken->tid == tid)
			return true;
	return false;
}

/*
 * Returns the id of a seized thread. If it was seized in the middle of an exec it may have the
 * first thread's id by now, and the exec may or may not be reported.
 */
static pid_t id_of_seized(const struct tracee *t, const struct process *p, pid_t tid)
{
	return look_is_ours(tid) || was_reaped(t, tid) ? tid : p->pub.pid;
}

/* Returns 1 if seized, 0 if the thread is traced already or has ended, -1 with *err set. */
static int seize_thread(struct tracee *t, struct process *p, pid_t tid, struct error *err)
{
	struct thread *th = thread_find(t, tid);
	int seized;

	/* the first thread's id may now be that of an untraced thread that has called exec */
	if (th && (tid != p->pub.pid || look_is_ours(tid)))
		return 0;
	seized = ptrace_seize(t, tid);
	if (seized < 0)
		return refusal_of_attach(tid, errno, err);
	if (!seized)
		return 0;
	tid = id_of_seized(t, p, tid);
	th = thread_find(t, tid);
	if (th) /* ended by the exec, without a report */
		family_gone(t, th);
	th = thread_new(t, p, tid, NULL);
	th->pub.found = true;
	thread_set_state(th, TRACEE_RUNNING);
	th->stop = STOP_NONE;
	return 1;
}

/*
 * Returns the number of threads seized in this pass, or -1. The kernel cuts the list short at a
 * thread that is just ending; the number is then 1 at least, so that another pass follows.
 */
static int seize_pass(struct tracee *t, struct process *p, struct error *err)
{
	char path[64];
	struct dirent *entry;
	int seized = 0, one = 0;
	long listed = 0;
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
		listed++;
	}
	closedir(tasks);
	if (one < 0)
		return -1;
	return seized + (!seized && listed < look_status(p->pub.pid, "Threads"));
}

/* Makes passes until one finds no new thread. Returns how many were seized, or -1. */
static int seize_all(struct tracee *t, struct process *p, struct error *err)
{
	int seized, all = 0;

	do {
		seized = seize_pass(t, p, err);
		all += seized;
	} while (seized > 0);
	return seized < 0 ? -1 : all;
}

/* ---- children that share the memory --------------------------------------------------------- */

static int take_sharers(struct tracee *t, struct process *parent, struct error *err);

/* Gives the child a space of its own, because it has called exec before it was traced. */
static void part(struct process *p)
{
	p->pub.space->users--;
	p->pub.space = space_new(p->pub.pid);
	p->pub.space->users = 1;
	p->pub.unfollowed = true;
}

static int take_sharer(struct tracee *t, struct process *parent, pid_t pid, struct error *err)
{
	struct process *p = process_find(t, pid);
	int seized, theirs;

	if (p ? p->pub.space != parent->pub.space : look_is_ours(pid))
		return 0;
	if (!p && !shares_memory(parent->pub.pid, pid)) {
		t->had_children = true;
		return 0;
	}
	if (!p) {
		p = process_new(t, pid, &parent->pub, parent->pub.space);
		p->pub.unfollowed = t->no_follow;
	}
	seized = seize_all(t, p, err);
	if (!shares_memory(parent->pub.pid, pid))
		part(p);
	theirs = seized < 0 ? -1 : take_sharers(t, p, err);
	return theirs < 0 ? -1 : seized + theirs;
}

enum { CHILDREN_BYTES = 1 << 20 }; /* room for more than 100,000 ids */

/* Returns how many threads were seized of children that share the memory, or -1. */
static int take_sharers(struct tracee *t, struct process *parent, struct error *err)
{
	char *text = base_alloc(CHILDREN_BYTES, 1), *end;
	struct thread *th;
	int all = 0, some = 0;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		char name[64];

		snprintf(name, sizeof(name), "task/%d/children", th->pub.tid);
		if (th->pub.process != &parent->pub ||
		    look_proc(parent->pub.pid, name, text, CHILDREN_BYTES) <= 0)
			continue;
		for (char *at = text; some >= 0; at = end) {
			long pid = strtol(at, &end, 10);

			if (end == at)
				break;
			some = take_sharer(t, parent, (pid_t)pid, err);
			all += some;
		}
	}
	base_free(text);
	return some < 0 ? -1 : all;
}

/* ---- attaching ------------------------------------------------------------------------------- */

static void attach_let_go(void *ctx)
{
	tracee_detach(ctx);
}

static struct tracee *tracee_of_attach(const struct tracee_attach *how)
{
	struct tracee *t = base_alloc(1, sizeof(*t));

	TAILQ_INIT(&t->threads);
	TAILQ_INIT(&t->processes);
	t->on_status = event_status;
	t->on_exposed = resident_expose;
	t->no_follow = how->no_follow;
	t->trace_exit = how->trace_exit;
	t->attached = true;
	leave_ask(attach_let_go, t);
	hurry_forbid();
	t->last.kind = TRACEE_TICK;
	return t;
}

/* Returns the thread that is best suited to make system calls for gatectl. */
static struct thread *choose_helper(struct tracee *t, struct thread *otherwise)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (!th->pub.found || !th->pub.process->is_root || th->pub.state != TRACEE_STOPPED)
			continue;
		if (th->stop == STOP_PAUSE)
			return th;
		otherwise = th; /* the thread has just called exec */
	}
	return otherwise;
}

/* Opens the memory through a thread that has not begun to end, because an
   ending one has no memory. */
static void open_memory(struct tracee *t, struct process *p)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (th->pub.process != &p->pub || !thread_is_alive(th))
			continue;
		space_open(p->pub.space, th->pub.tid);
		if (look_status(th->pub.tid, "VmSize") >= 0)
			return;
	}
}

/* Makes one pass. Returns 1 if there were new threads, 0 if not, or -1. */
static int take_all(struct tracee *t, struct process *p, struct error *err)
{
	int seized = seize_all(t, p, err), sharers;

	if (seized < 0)
		return -1;
	if (seized) /* an exec from now on is reported */
		open_memory(t, p);
	sharers = take_sharers(t, p, err);
	return sharers < 0 ? -1 : seized + sharers > 0;
}

/*
 * Seizes all threads, then stops them and looks again: a thread seized inside clone(2) creates one
 * that is not traced. Once all are stopped, no thread is in clone(2).
 */
static int take_over(struct tracee *t, pid_t pid, struct error *err)
{
	struct process *p = process_new(t, pid, NULL, space_new(pid));
	struct thread *first;
	int some;

	p->pub.is_root = true;
	*array_add(&t->queue) = (struct tracee_event){.kind = TRACEE_ATTACHED, .process = &p->pub};
	do /* in the middle of an exec there is no thread to seize */
		some = take_all(t, p, err);
	while (!some && !look_has_ended(pid) && !tracee_signals_came());
	if (some < 0 || check_parent(pid, err) < 0)
		return -1;
	first = TAILQ_FIRST(&t->threads);
	if (!first && tracee_signals_came())
		return error_set(
			err, ERROR_USAGE,
			"a signal ended gatectl before it could attach to a thread of process %d",
			pid);
	if (!first) {
		error_set(err, ERROR_USAGE, "process %d has just ended", pid);
		return look_for_another(err);
	}
	while (some > 0) {
		tracee_halt(t);
		some = take_all(t, p, err);
	}
	t->queue.items[0].thread = &choose_helper(t, first)->pub;
	trap_found(t);
	return some;
}

struct tracee *tracee_attach(const struct tracee_attach *how, struct error *err)
{
	struct tracee *t;

	if (refusal_before(err) < 0 || check_process(how->pid, err) < 0 ||
	    signals_open(how->tick_ms, err) < 0)
		return NULL;
	t = tracee_of_attach(how);
	frozen_watch();
	if (!take_over(t, how->pid, err))
		return t;
	tracee_free(t);
	return NULL;
}

bool tracee_had_children(const struct tracee *t)
{
	return t->had_children;
}

void tracee_let_found_go(struct tracee *t)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (th->pub.found && th->stop == STOP_PAUSE)
		tracee_resume(t, &th->pub);
}
