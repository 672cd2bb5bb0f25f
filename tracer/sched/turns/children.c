/*
 * Threads of a process that wait for the same children. The end of a child wakes all of them, and the first that
 * the kernel runs has it: no step decides that. So a thread goes into such a wait when no other one waits there
 * for all that it waits for; until then it is stopped before its call.
 */
#include "tracer/sched/sched_internal.h"

#include <sys/syscall.h>
#include <sys/wait.h>

struct children {
	idtype_t type;
	pid_t id;
	uint64_t options; /* as of waitid(2) */
};

/* A process group as waitid(2) has it: 0 is the caller's own. */
static struct children of_wait4(pid_t pid, uint64_t options)
{
	idtype_t type = pid > 0 ? P_PID : pid == -1 ? P_ALL : P_PGID;

	return (struct children){type, pid < 0 ? -pid : pid, options | WEXITED};
}

/* False: the call does not wait for children. */
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
	       other->thread->process == t->thread->process &&
	       children_of(&other->call, &children) && covers(&children, wanted);
}

bool children_are_waited_for(const struct scheduler *c, const struct sched_thread *t)
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
