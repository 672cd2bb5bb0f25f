/* Calls that wait in the kernel. The next choice is made when the thread sleeps there or has
   returned. The strategy ends its time-outs, so the kernel waits without one. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/syscalls/timers.h"
#include "tracer/run/run.h"
#include "tracer/tracee/events/events.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { DEEP_US = 1000000 };

/* True for an uninterruptible wait (state D of proc(5)) that lasts: a frozen file system or a
   server that does not answer. It is one wait while the thread has not run in between. */
static bool is_deep(struct sched_thread *t, const struct tracee_block *look)
{
	if (look->activity != TRACEE_DISK)
		return false;
	if (t->deep != look->switches + 1)
		t->deep_us = run_now_us();
	t->deep = look->switches + 1;
	return run_now_us() - t->deep_us >= DEEP_US;
}

/* Returns true if the thread waits. False: it has returned or exited, and the event is still to
   come. */
static bool waits_inside(struct sched_thread *t)
{
	struct tracee_block look;

	if (run_thread_tracee(t->thread)->state == TRACEE_GROUP_STOPPED)
		return tracee_rests_stopped(run_thread_tracee(t->thread));
	for (;;) {
		tracee_look(run_thread_tracee(t->thread), &look);
		if (look.activity == TRACEE_BLOCKED || is_deep(t, &look) ||
		    (look.activity == TRACEE_DISK && tracee_is_vfork(look.number)))
			return true;
		if (t->state == THREAD_UNREPORTED ||
		    (look.activity != TRACEE_ACTIVE && look.activity != TRACEE_DISK))
			return false;
		sched_yield(); /* the thread is on its way, on this or another processor */
	}
}

static void rests_inside(struct scheduler *c, struct sched_thread *t, enum sched_state how)
{
	t->state = how;
	c->kernel++;
}

/* The thread may go on at any time without an event. */
static void rests_unreported(struct scheduler *c, struct sched_thread *t)
{
	t->blocked = true;
	rests_inside(c, t, THREAD_UNREPORTED);
}

static void runs(struct scheduler *c, struct sched_thread *t)
{
	t->state = THREAD_RUNS;
	c->kernel--;
}

/* Lets the thread go on in its call until it waits. */
static void kernel_enter(struct scheduler *c, struct sched_thread *t)
{
	if (t->call.number == SYS_write || t->call.number == SYS_writev)
		written_drain(c);
	tracee_tell_end(run_thread_tracee(t->thread));
	sched_thread_goes(t);
	do {
		if (!waits_inside(t))
			return;
	} while (written_drain(c)); /* a full pipe or terminal is no reason to wait */
	t->blocked = true;
	rests_inside(c, t, THREAD_KERNEL);
}

/* True for a first thread that exits before the others, which the kernel does not report. */
static bool is_left_behind(const struct sched_thread *t)
{
	return t->call.number == SYS_exit && run_thread_is_first(t->thread) &&
	       run_process_tracee(run_process_of(t->thread))->threads > 1;
}

void kernel_leave(struct scheduler *c, struct sched_thread *t)
{
	struct tracee_block look;

	t->next = NEXT_EXIT;
	sched_thread_goes(t);
	do {
		sched_yield();
		tracee_look(run_thread_tracee(t->thread), &look);
	} while (look.activity != TRACEE_DEAD && look.activity != TRACEE_HALTED);
	if (look.activity == TRACEE_HALTED)
		return; /* PTRACE_EVENT_EXIT reports the exit */
	t->next = NEXT_RESUMES;
	rests_inside(c, t, THREAD_ZOMBIE);
	futexes_thread_gone(c, t);
}

/* ---- waits for children ------------------------------------------------------------------ */

/* Threads of a process that wait for the same children: the end of a child wakes all, and the
   kernel decides which gets it. A thread therefore stops before such a wait while another thread
   waits for all of the same children. */

struct children {
	idtype_t type;
	pid_t id;
	uint64_t options; /* flags of waitid(2) */
};

/* Converts to waitid(2), where process group 0 is the caller's own. */
static struct children of_wait4(pid_t pid, uint64_t options)
{
	idtype_t type = pid > 0 ? P_PID : pid == -1 ? P_ALL : P_PGID;

	return (struct children){type, pid < 0 ? -pid : pid, options | WEXITED};
}

/* Returns false if the call does not wait for children. */
static bool children_of(const struct tracee_made *call, struct children *out)
{
	const uint64_t *args = call->args;

	if (call->number == SYS_wait4)
		*out = of_wait4((pid_t)args[0], args[2]);
	else if (call->number == SYS_waitid)
		*out = (struct children){(idtype_t)args[0], (pid_t)args[1], args[3]};
	else
		return false;
	return !(out->options & WNOHANG);
}

static bool covers(const struct children *all, const struct children *some)
{
	return all->options == some->options &&
	       (all->type == P_ALL || (all->type == some->type && all->id == some->id));
}

static bool is_inside_for(const struct sched_thread *t, const struct sched_thread *other,
			  const struct children *wanted)
{
	struct children children;

	return other != t && other->state == THREAD_KERNEL && other->blocked &&
	       run_process_of(other->thread) == run_process_of(t->thread) &&
	       children_of(&other->call, &children) && covers(&children, wanted);
}

static bool children_are_waited_for(const struct scheduler *c, const struct sched_thread *t)
{
	struct children wanted;

	if (!children_of(&t->call, &wanted))
		return false;
	array_each(struct sched_thread *, other, &c->threads)
		if (is_inside_for(t, *other, &wanted))
			return true;
	return false;
}

void children_look(struct scheduler *c)
{
	array_each(struct sched_thread *, t, &c->threads) {
		if ((*t)->state != THREAD_BEHIND || children_are_waited_for(c, *t))
			continue;
		sched_thread_ready(*t, &(*t)->point);
		(*t)->next = NEXT_CALLS;
	}
}

/* ---- a call ------------------------------------------------------------------------------ */

/* True for a wait for files that names none. */
static bool is_sleep(const struct tracee_made *call)
{
	switch (call->number) {
	case SYS_poll:
	case SYS_ppoll:
		return !call->args[1];
	case SYS_select:
	case SYS_pselect6:
		return !call->args[0];
	default:
		return false;
	}
}

void kernel_call(struct scheduler *c, struct sched_thread *t)
{
	long number = t->call.number;
	struct tracee_limit limit;

	if (is_left_behind(t)) {
		kernel_leave(c, t);
		return;
	}
	t->blocked = t->timed = false;
	t->next = number == SYS_exit ? NEXT_END : NEXT_RESUMES;
	if (number == SYS_exit || number == SYS_exit_group) {
		sched_thread_goes(t);
		return;
	}
	if (children_are_waited_for(c, t)) {
		t->state = THREAD_BEHIND;
		return;
	}
	if (tracee_unlimit(run_thread_tracee(t->thread), &limit)) {
		times_limit(c, t, &limit);
		if (is_sleep(&t->call))
			times_asked(c, limit.ns);
	}
	kernel_enter(c, t);
}

void kernel_born(struct scheduler *c, struct sched_thread *t)
{
	t->next = NEXT_RESUMES;
	t->blocked = t->timed = false;
	kernel_enter(c, t);
}

bool kernel_rests(struct scheduler *c)
{
	bool rest = true;

	if (!c->kernel)
		return true;
	array_each(struct sched_thread *, t, &c->threads) {
		if (!sched_thread_in_kernel(*t) || (*t)->state == THREAD_ZOMBIE || waits_inside(*t))
			continue;
		runs(c, *t);
		rest = false;
	}
	return rest && tracee_is_settled(run_tracee(c->run), c->kernel);
}

void kernel_left(struct scheduler *c, struct sched_thread *t)
{
	if (sched_thread_in_kernel(t))
		runs(c, t);
}

void kernel_called(struct sched_thread *t)
{
	struct strategy_point p = {.op = STRATEGY_BLOCK,
				   .object = STRATEGY_ANY_OBJECT,
				   .place = t->call.pc,
				   .writes = true};

	if (t->blocked) {
		sched_thread_ready(t, &p);
		t->next = NEXT_RETURNS;
	} else {
		sched_thread_goes(t);
	}
	t->blocked = t->timed = false;
}

/* True for a wait in a call that does not stop the thread, such as open() or a file lock. A
   thread that is asleep twice without a context switch between is not on its way. */
static bool sleeps_unreported(struct sched_thread *t)
{
	struct tracee_block look = {.activity = TRACEE_ACTIVE};
	uint64_t before = t->slept;

	if (t->state == THREAD_RUNS && run_thread_tracee(t->thread)->state == TRACEE_RUNNING)
		tracee_look(run_thread_tracee(t->thread), &look);
	t->slept = look.activity == TRACEE_BLOCKED ? look.switches + 1 : 0;
	return (t->slept && t->slept == before) || is_deep(t, &look);
}

void kernel_notice(struct scheduler *c)
{
	array_each(struct sched_thread *, t, &c->threads) {
		if (sleeps_unreported(*t))
			rests_unreported(c, *t);
	}
}

void kernel_notice_stopped(struct scheduler *c)
{
	array_each(struct sched_thread *, t, &c->threads) {
		if ((*t)->state != THREAD_RUNS ||
		    run_thread_tracee((*t)->thread)->state != TRACEE_GROUP_STOPPED)
			continue;
		rests_unreported(c, *t);
		c->signals = true; /* other threads of the process are to stop, too */
	}
}

/* Ends the thread's wait in the kernel by its time-out; the thread will stop. */
static void kernel_time_out(struct scheduler *c, struct sched_thread *t)
{
	tracee_time_out(run_thread_tracee(t->thread));
	t->timed = false;
	runs(c, t);
}

void times_pass(struct scheduler *c, uint64_t until_ns)
{
	if (until_ns > c->now_ns)
		times_advance(c, until_ns);
	array_each(struct sched_thread *, t, &c->threads) {
		(*t)->spins = 0;
		if (!(*t)->timed || (*t)->until_ns > until_ns)
			continue;
		if (sched_thread_in_kernel(*t))
			kernel_time_out(c, *t);
		else
			sched_thread_answered(*t, (*t)->state == THREAD_SLEEPS ? 0 : -ETIMEDOUT);
	}
	timers_expire(c);
}
