/* What does a blocked thread wait for, and who could end that? */
#include "tracer/features/watchpoints/watchpoints.h"
#include "tracer/features/blocked/channels.h"

#include <sys/syscall.h>
#include <sys/wait.h>

static void judge_child(struct run *s, const struct tracee_block *b, struct wait *w)
{
	bool waitid = b->number == SYS_waitid;
	uint64_t options = waitid ? b->args[3] : b->args[2];

	if (s->options->no_follow || s->options->pid || (options & WNOHANG))
		return; /* perhaps for a child that we do not see */
	w->kind = WAIT_PROCESS;
	if (waitid)
		w->on_process = b->args[0] == P_PID ? (int)b->args[1] : 0;
	else
		w->on_process = (int)b->args[0] > 0 ? (int)b->args[0] : 0;
}

/* Could a process that we do not trace store what a held thread waits for? */
static bool depends_on_others(const struct run *s, struct run_thread *t)
{
	if (!watchpoints_is_asked(t))
		return false;
	array_each(const struct watchpoint_read, r, watchpoints_reads(t))
		if (r->process->tracee &&
		    futexes_reach(s, r->process, r->address, NULL) == REACH_OUTSIDE)
			return true;
	return false;
}

/* A process made by vfork shares its parent's memory. */
static int space_of(const struct run *s, const struct run_process *p)
{
	array_each(struct run_process *, other, &s->processes)
		if ((*other)->tracee && p->tracee && (*other)->tracee->space == p->tracee->space)
			return (*other)->pid;
	return p->pid;
}

/* For a thread asleep in a system call. */
static void judge_blocked(struct run *s, struct run_thread *t, const struct tracee_block *b,
			  struct wait *w, struct ends *ends)
{
	if (b->number == SYS_futex || b->number == SYS_futex_waitv)
		futexes_wait(s, t, b, w, ends);
	else if (b->number == SYS_wait4 || b->number == SYS_waitid)
		judge_child(s, b, w);
	else if (channels_is_call(t, b))
		channels_wait(s, t, b, w, ends);
	else if (timers_is_helper(t, b))
		w->kind = WAIT_FUTEX; /* whoever arms a timer could wake it */
}

void blocked_judge(struct run *s, struct run_thread *t, const struct tracee_block *b,
		   struct wait *w, struct ends *ends)
{
	w->thread = t->engine;
	w->kind = WAIT_NOT;
	w->process = t->process->pid;
	w->parent = t->process->parent_pid;
	w->space = space_of(s, t->process);
	if (t->engine->held || t->paused)
		w->kind = depends_on_others(s, t) ? WAIT_NOT : WAIT_GATE;
	else if ((b->activity == TRACEE_DISK || b->activity == TRACEE_BLOCKED) &&
		 tracee_is_vfork(b->number))
		w->kind = WAIT_PROCESS;
	else if (b->activity == TRACEE_BLOCKED)
		judge_blocked(s, t, b, w, ends);
}

void blocked_wait_of(struct run *s, struct run_thread *t, const struct tracee_block *b,
		     struct wait *w)
{
	struct ends ends = {0};

	blocked_judge(s, t, b, w, &ends);
	array_fini(&ends);
}
