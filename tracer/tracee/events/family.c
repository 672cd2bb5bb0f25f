/*
 * Births, execs and deaths of tasks. A new task and its creator's report come in either order; the
 * first one waits for the other, so that threads appear in the order of their creation.
 */
#include "tracer/tracee/fastpath/resident_internal.h"

#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- new tasks ------------------------------------------------------------------------------- */

struct clone_wish {
	uint64_t flags, pidfd, child_tid; /* the beginning of struct clone_args (clone3(2)) */
};

/* Returns the arguments of the clone that the thread is just leaving. */
static struct clone_wish wish_of_birth(struct thread *th)
{
	struct clone_wish wish = {0};

	if (thread_regs(th) < 0)
		return wish;
	switch (th->regs.orig_rax) {
	case SYS_vfork:
		wish.flags = CLONE_VM | CLONE_VFORK;
		break;
	case SYS_clone:
		wish = (struct clone_wish){th->regs.rdi, 0, th->regs.r10};
		break;
	case SYS_clone3:
		memory_raw_read(space_of(th), th->regs.rdi, &wish, sizeof(wish));
	}
	return wish;
}

/* Returns the word that the kernel clears at the child's end, or 0 if the child does not share the
   memory, in which case no other thread sees it. */
static uint64_t word_cleared(const struct clone_wish *wish)
{
	return wish->flags & CLONE_VM && wish->flags & CLONE_CHILD_CLEARTID ? wish->child_tid : 0;
}

/* Waits for the first stop of an existing task, which comes at once. Returns 0, or -1 if
   the task has died before. */
static int family_meet(struct tracee *t, pid_t tid, int *status)
{
	if (!orphan_take(t, tid, status))
		return 0;
	if (status_of_one(t, tid, status) < 0)
		return -1;
	return orphan_is_dying(tid, *status) ? -1 : 0;
}

static int group_signal_of(int status)
{
	return WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
}

/* ---- new processes --------------------------------------------------------------------------- */

/* Frames of handlers are part of the memory that a fork copies. */
static void copy_restarts(const struct thread *from, struct thread *to)
{
	array_each(struct restart, r, &from->restarts)
		*array_add(&to->restarts) = *r;
}

static struct thread *add_process(struct tracee *t, struct process *parent, pid_t pid, int status,
				  bool shares)
{
	struct tracee_space *space = shares ? parent->pub.space : space_new(pid);
	struct process *p = process_new(t, pid, parent ? &parent->pub : NULL, space);
	struct thread *th = thread_new(t, p, pid, NULL);

	th->group_signal = group_signal_of(status);
	p->pub.unfollowed = t->no_follow || (parent && parent->pub.unfollowed);
	watch_agree(th);
	return th;
}

/* Copies the tables of the parent's memory. The child may run, or even die, during this, so
   its start is queued before. */
static void copy_space(struct tracee *t, struct thread *child, const struct tracee_space *from,
		       const struct thread *creator)
{
	struct tracee_space *space = space_of(child);

	if (space == from)
		return;
	returns_copy(child, from, creator);
	slot_copy_all(t, child, from);
	resident_copy(child->pub.process, from);
	granted_copy(child->pub.process, from);
	site_copy_all(t, from, space);
}

/* Lets a child run untraced, after removing the traps from its copy of the memory. */
static void family_let_go(const struct tracee_space *from, pid_t pid)
{
	struct tracee_space *space = space_new(pid);

	if (from)
		site_clean(from, space);
	space_free(space);
	ptrace(PTRACE_DETACH, pid, 0, 0);
}

static void fork_reported(struct tracee *t, struct thread *th, struct thread *child)
{
	if (th->calling)
		return; /* tracee_call() resumes the thread */
	if (event_silent(th))
		thread_continue(th, 0);
	else
		event_push(t, TRACEE_FORK, th)->child = child ? child->pub.process : NULL;
}

void family_process(struct tracee *t, const struct birth *b)
{
	bool unfollowed = t->no_follow || (b->parent && b->parent->pub.unfollowed);
	struct thread *child = NULL;

	if (unfollowed && !b->shares)
		family_let_go(b->from, b->pid);
	else
		child = add_process(t, b->parent, b->pid, b->status, b->shares);
	if (child && b->creator) {
		copy_restarts(b->creator, child);
		trap_inherit(child, b->creator);
	}
	if (b->creator)
		fork_reported(t, b->creator, unfollowed ? NULL : child);
	if (!child)
		return;
	if (unfollowed) {
		tracee_resume(t, &child->pub);
		return;
	}
	event_push(t, TRACEE_PROCESS_START, child);
	if (b->from)
		copy_space(t, child, b->from, b->creator);
}

static void fork_met(struct tracee *t, struct thread *th, pid_t pid, int status, bool shares)
{
	struct process *parent = (struct process *)th->pub.process;

	family_process(t, &(struct birth){.parent = parent,
					  .from = parent->pub.space,
					  .creator = th,
					  .pid = pid,
					  .status = status,
					  .shares = shares});
}

/* ---- new threads ----------------------------------------------------------------------------- */

static void creator_goes_on(struct thread *th)
{
	if (!th->calling)
		thread_continue(th, 0);
}

static void clone_met(struct tracee *t, struct thread *th, pid_t tid, int status)
{
	struct process *p = (struct process *)th->pub.process;
	struct thread *child = thread_new(t, p, tid, th);

	child->group_signal = group_signal_of(status);
	trap_inherit(child, th);
	watch_agree(child);
	if (event_silent(child))
		tracee_resume(t, &child->pub);
	else
		event_push(t, TRACEE_THREAD_START, child);
	creator_goes_on(th);
}

/* ---- births --------------------------------------------------------------------------------- */

static void birth_failed(struct tracee *t, struct thread *th, uint64_t flags)
{
	if (flags & CLONE_THREAD)
		creator_goes_on(th);
	else
		fork_reported(t, th, NULL);
}

/* Returns the new task, or 0 if the creator was killed: the event message is then about its end. */
static pid_t child_of_event(const struct thread *th, int event)
{
	unsigned long message = 0;
	siginfo_t info;

	if (ptrace(PTRACE_GETEVENTMSG, th->pub.tid, 0, &message) < 0 ||
	    ptrace(PTRACE_GETSIGINFO, th->pub.tid, 0, &info) < 0 || info.si_code >> 8 != event)
		return 0;
	return (pid_t)message;
}

void family_birth(struct tracee *t, struct thread *th, int event)
{
	pid_t child = child_of_event(th, event);
	struct thread *known;
	struct clone_wish wish;
	int status;

	if (!th->calling)
		th->stop = event == PTRACE_EVENT_VFORK ? STOP_VFORK : STOP_FORK;
	if (!child) { /* the child will be adopted */
		creator_goes_on(th);
		return;
	}
	th->vforked = event == PTRACE_EVENT_VFORK ? child : 0;
	wish = wish_of_birth(th);
	known = thread_find(t, child);
	if (known) /* adopted because another thread of the parent has died */
		fork_reported(t, th, known);
	else if (family_meet(t, child, &status) < 0)
		birth_failed(t, th, wish.flags);
	else if (wish.flags & CLONE_THREAD)
		clone_met(t, th, child, status);
	else
		fork_met(t, th, child, status, wish.flags & CLONE_VM);
	known = thread_find(t, child);
	if (known)
		known->pub.clears = word_cleared(&wish);
}

/* ---- ends ------------------------------------------------------------------------------------ */

void family_gone(struct tracee *t, struct thread *th)
{
	thread_unhash(th);
	event_push(t, TRACEE_THREAD_GONE, th);
}

static void process_gone(struct tracee *t, struct process *p, int status)
{
	struct tracee_event *ev = array_add(&t->queue);

	p->gone = true;
	*ev = (struct tracee_event){
		.kind = TRACEE_PROCESS_GONE, .process = &p->pub, .status = status};
}

static void others_gone(struct tracee *t, const struct thread *survivor)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (th != survivor && th->pub.process == survivor->pub.process && thread_is_alive(th))
		family_gone(t, th);
}

void family_death(struct tracee *t, struct thread *th, int status)
{
	struct process *p = (struct process *)th->pub.process;

	orphan_adopt(t, p);
	if (th->pub.tid == p->pub.pid)
		/* the kernel reports the first thread last, so there are no others */
		others_gone(t, th);
	family_gone(t, th);
	if (th->pub.tid == p->pub.pid)
		process_gone(t, p, p->ends_by ? p->ends_by : status);
}

static void new_image(struct thread *th)
{
	struct tracee_process *p = th->pub.process;

	space_unuse(th->tracee, p->space);
	p->space = space_new(p->pid);
	p->space->users = 1;
	th->restarts.count = 0;
	th->elisions.count = 0;
	th->skips_wait = 0;
	th->timed_argument = 0;
	th->sigreturn_sp = 0;
	th->site = NULL;
	th->stop = STOP_EXEC;
	th->regs_known = false;
	th->watched.n = 0; /* the kernel clears the registers */
	th->rewatched = false;
	th->reach = REACH_FREE;
	clock_exec(th);
	call_exec(th);
}

/* Releases an unfollowed child, whose exec ends the sharing of its parent's memory and traps. */
static void family_release(struct tracee *t, struct thread *th)
{
	struct process *p = (struct process *)th->pub.process;

	trap_exec(th);
	ptrace(PTRACE_DETACH, th->pub.tid, 0, 0);
	family_gone(t, th);
	process_gone(t, p, 0);
}

/* Handles an exec: the thread that called it goes on with the id of the process's first thread. */
void family_exec(struct tracee *t, struct thread *leader)
{
	unsigned long former = 0;
	struct thread *th;

	ptrace(PTRACE_GETEVENTMSG, leader->pub.tid, 0, &former);
	th = thread_find(t, (pid_t)former);
	if (!th || th->pub.process != leader->pub.process)
		th = leader;
	others_gone(t, th);
	if (th != leader) {
		thread_rename(th, th->pub.process->pid);
		thread_set_state(th, TRACEE_STOPPED);
		th->reach = REACH_FREE; /* the thread was awaited under its former id */
	}
	new_image(th);
	if (event_silent(th)) {
		family_release(t, th);
	} else {
		event_push(t, TRACEE_EXEC, th);
		trap_exec(th);
	}
}

void family_bury(struct tracee *t)
{
	if (t->last.kind == TRACEE_THREAD_GONE)
		thread_free(thread_of(t->last.thread));
	else if (t->last.kind == TRACEE_PROCESS_GONE)
		process_free(t, (struct process *)t->last.process);
	t->last = (struct tracee_event){.kind = TRACEE_TICK};
}
