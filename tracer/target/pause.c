/* Stops a thread that runs, to ask it something. */
#include "tracer/target/internal.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

static bool is_pause(int status)
{
	return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP &&
	       WSTOPSIG(status) == SIGTRAP;
}

int target_pause(struct target *t, struct target_thread *thread)
{
	struct thread *th = thread_of(thread);
	int status;

	(void)t;
	if (thread->state != TARGET_RUNNING || ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) < 0 ||
	    wait_one(th, is_pause, &status) != ONE_EXPECTED)
		return -1; /* it stops for a reason of its own: that comes as an event */
	thread_set_state(th, TARGET_STOPPED);
	th->stop = STOP_PAUSE;
	return 0;
}
