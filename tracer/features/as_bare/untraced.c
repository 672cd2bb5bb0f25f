/*
 * A child that the program has made, bypassing the C library, with CLONE_UNTRACED: gatectl cannot
 * see it, but it has inherited the traps, and the first one ends it by SIGTRAP. From then on the
 * program behaves as it would not by itself, so the run is over, and says why.
 */
#include "tracer/run/go.h"
#include "tracer/run/places/sites.h"

#include <signal.h>

/* The program's traced children: they run into no trap of ours unseen. */
static bool is_seen(const struct run *s, pid_t pid)
{
	array_each(struct run_process *, p, &s->processes)
		if ((*p)->pid == pid)
			return true;
	return false;
}

/* Not known for children from before attach, or with --no-follow. */
static bool untraced_is_ours(const struct run *s, const struct run_thread *t, pid_t pid)
{
	return pid && !s->untraced_children && t->process->tracee &&
	       tracee_has_sites(t->process->tracee) && !is_seen(s, pid);
}

static void untraced_tell(struct run *s, pid_t pid)
{
	ERROR(err);

	error_set(&err, ERROR_STATE,
		  "process %d, a child that the program has made untraced (CLONE_UNTRACED, past "
		  "the C "
		  "library), has died of SIGTRAP: it inherits gatectl's traps, and nobody sees it",
		  (int)pid);
	error_hint(&err,
		   "make it by the C library's clone(), where gatectl takes the flag away, or "
		   "leave the flag out");
	run_fault(s, &err);
}

static bool signals(struct run *s, struct run_thread *t, int signal)
{
	struct tracee_fault fault;

	if (signal == SIGCHLD && tracee_fault(t->tracee, &fault) == 0 &&
	    fault.ended_by == SIGTRAP && untraced_is_ours(s, t, fault.child))
		untraced_tell(s, fault.child);
	return false;
}

/* Nobody can move any more: perhaps this is why. */
static bool untraced_look(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	(void)answer;
	if (question != STUCK_EXCUSED)
		return false;
	array_each(struct run_thread *, it, &s->threads) {
		pid_t pid = (*it)->tracee ? tracee_dead_child((*it)->tracee, SIGTRAP) : 0;

		if (!untraced_is_ours(s, *it, pid))
			continue;
		untraced_tell(s, pid);
		return true;
	}
	return false;
}

extern const struct observer untraced_observer;
const struct observer untraced_observer = {.signal = signals, .stuck = untraced_look};
