/* Wait statuses: of any thread in fair order, of one, or of some. Others are kept for later. */
#include "tracer/tracee/events/signals.h"
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { FAIR_EVERY = 16 }; /* a waitpid(2) that finds nothing is cheap, but not free */

/*
 * Takes in all pending statuses, to be handled before new ones. The kernel looks for stopped
 * threads in a fixed order, so a few that stop all the time would hide the others.
 */
static void take_all(struct tracee *t)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		*array_add(&t->taken) = (struct taken){tid, status};
}

static bool taken_status(struct tracee *t, pid_t tid, int *status)
{
	for (size_t i = 0; i < t->taken.count; i++) {
		if (t->taken.items[i].tid != tid)
			continue;
		*status = t->taken.items[i].status;
		array_remove(&t->taken, i);
		return true;
	}
	return false;
}

int status_of_one(struct tracee *t, pid_t tid, int *status)
{
	if (taken_status(t, tid, status))
		return 0;
	while (waitpid(tid, status, __WALL) < 0)
		if (errno != EINTR)
			return -1;
	return 0;
}

/* Variant of status_of_one() that fails with EINTR when the limit has passed. */
static int status_in_time(struct tracee *t, pid_t tid, int *status)
{
	if (taken_status(t, tid, status))
		return 0;
	while (waitpid(tid, status, __WALL) < 0)
		if (errno != EINTR || signals_late())
			return -1;
	return 0;
}

/* Looks for a status with WNOWAIT, which leaves it in place. */
bool tracee_rests_stopped(const struct tracee_thread *thread)
{
	const struct thread *th = (const struct thread *)thread;
	struct tracee_block look;
	siginfo_t info = {0};

	array_each(const struct taken, taken, &th->tracee->taken)
		if (taken->tid == thread->tid)
			return false;
	tracee_look(thread, &look);
	if (look.activity != TRACEE_HALTED)
		return false;
	return !waitid(P_PID, (id_t)thread->tid, &info,
		       WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) &&
	       !info.si_pid;
}

static bool is_exit_stop(int status)
{
	return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_EXIT;
}

static void pass_exit_stops(struct tracee *t)
{
	for (size_t i = 0; i < t->taken.count;) {
		struct taken taken = t->taken.items[i];

		if (is_exit_stop(taken.status)) {
			array_remove(&t->taken, i);
			t->on_status(t, taken.tid, taken.status);
		} else {
			i++;
		}
	}
}

/*
 * Waits for the first thread of a process. If it is killed, the kernel reports it after all others
 * have been reaped, so the others' statuses are taken in meanwhile.
 */
static int status_of_first(struct tracee *t, pid_t first, int *status, bool limited)
{
	pid_t tid;

	for (;;) {
		if (taken_status(t, first, status))
			return 0;
		pass_exit_stops(t);
		tid = waitpid(-1, status, __WALL);
		if (tid > 0)
			*array_add(&t->taken) = (struct taken){tid, *status};
		else if (errno != EINTR || (limited && signals_late()))
			return -1;
	}
}

static int status_of_thread(struct thread *th, int *status)
{
	const struct tracee_process *p = th->pub.process;

	if (th->pub.tid == p->pid && p->threads > 1)
		return status_of_first(th->tracee, th->pub.tid, status, th->calling);
	if (th->calling)
		return status_in_time(th->tracee, th->pub.tid, status);
	return status_of_one(th->tracee, th->pub.tid, status);
}

/* Waits for this thread. A status that is not expected goes to on_status(). */
enum wait_one wait_one(struct thread *th, bool (*expected)(int status), int *status)
{
	pid_t tid = th->pub.tid;

	if (status_of_thread(th, status) < 0)
		return errno == EINTR ? ONE_LATE
				      : ONE_OTHER; /* the end of the thread was seen elsewhere */
	if (expected(*status))
		return ONE_EXPECTED;
	th->tracee->on_status(th->tracee, tid, *status);
	return ONE_OTHER;
}

static struct thread *taken_by_some(struct tracee *t, bool (*wanted)(const struct thread *),
				    int *status)
{
	for (size_t i = 0; i < t->taken.count; i++) {
		struct thread *th = thread_find(t, t->taken.items[i].tid);

		if (!th || !wanted(th))
			continue;
		*status = t->taken.items[i].status;
		array_remove(&t->taken, i);
		return th;
	}
	return NULL;
}

struct thread *wait_some(struct tracee *t, bool (*wanted)(const struct thread *), int *status)
{
	for (;;) {
		struct thread *th = taken_by_some(t, wanted, status);
		pid_t tid;

		if (th)
			return th;
		tid = waitpid(-1, status, __WALL);
		if (tid > 0)
			*array_add(&t->taken) = (struct taken){tid, *status};
		else if (errno != EINTR || signals_late())
			return NULL;
	}
}

bool wait_is_awaited(const struct thread *th)
{
	return th->reach == REACH_AWAITED;
}

/* Counts awaited threads that are alive; an exec, or the end of the process, removes the others. */
static size_t wait_count_awaited(struct tracee *t)
{
	struct thread *th;
	size_t n = 0;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (th->reach != REACH_AWAITED)
			continue;
		if (thread_is_alive(th))
			n++;
		else
			th->reach = REACH_FREE;
	}
	return n;
}

void wait_awaited(struct tracee *t, void (*stopped)(struct tracee *, pid_t tid, int status),
		  void (*late)(struct tracee *))
{
	struct thread *th;
	int status;

	while (wait_count_awaited(t)) {
		signals_limit(WAIT_MOMENT_MS);
		th = wait_some(t, wait_is_awaited, &status);
		if (th)
			stopped(t, th->pub.tid, status);
		else
			late(t);
	}
	signals_limit(0);
}

pid_t status_of_any(struct tracee *t, int *status, int options)
{
	pid_t tid;

	if (!t->taken.count && ++t->gathered % FAIR_EVERY == 0)
		take_all(t);
	if (!t->taken.count)
		return waitpid(-1, status, __WALL | options);
	tid = t->taken.items[0].tid;
	taken_status(t, tid, status);
	return tid;
}
