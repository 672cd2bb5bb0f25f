/*
 * Stops threads, all of the tree or one, and keeps them stopped until each is resumed. A
 * thread that stops for a reason of its own queues an event; the others are at STOP_PAUSE.
 * README.md has the exceptions.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/fastpath/resident_internal.h"

#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Waits of WAIT_MOMENT_MS for a thread in an uninterruptible state. */
enum { MOST_LOOKS = 100 };

/*
 * True if the thread has lost its id in an exec: it takes over the first thread's id, and its own
 * is never reaped. The exec is reported under the first thread's id.
 */
static bool has_other_id(const struct thread *th)
{
	pid_t pid = th->pub.process->pid;

	return th->pub.tid != pid && !look_is_ours(th->pub.tid) && !look_has_ended(pid);
}

static size_t interrupt(struct tracee *t, halt_wanted *wanted, const void *what)
{
	struct thread *th;
	size_t n = 0;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (!wanted(th, what) || th->pub.state == TRACEE_STOPPED || th->reach ||
		    !thread_is_alive(th))
			continue;
		th->interrupted = !ptrace(PTRACE_INTERRUPT, th->pub.tid, 0, 0);
		if (!th->interrupted && !has_other_id(th))
			continue;
		th->reach = REACH_AWAITED;
		th->pub.pauses++;
		n++;
	}
	return n;
}

/* ---- a thread that has stopped --------------------------------------------------------------- */

static bool is_raised(const siginfo_t *info)
{
	return info->si_code > 0 &&
	       (info->si_signo == SIGTRAP || info->si_signo == SIGSEGV || info->si_signo == SIGBUS);
}

/* True if the stop has overtaken the report of a trap or fault of the thread's own instruction. */
static bool halt_overtakes(const struct thread *th)
{
	enum { EACH = 8 };
	struct __ptrace_peeksiginfo_args which = {.nr = EACH};
	siginfo_t pending[EACH];
	long n;

	do {
		n = ptrace(PTRACE_PEEKSIGINFO, th->pub.tid, &which, pending);
		for (long i = 0; i < n; i++)
			if (is_raised(&pending[i]))
				return true;
		which.off += EACH;
	} while (n == EACH);
	return false;
}

static void on_pause(struct thread *th, int signal)
{
	thread_set_state(th, TRACEE_STOPPED);
	watch_agree(th);
	if (halt_overtakes(th)) { /* the report comes before anything else happens in the thread */
		thread_continue(th, 0);
		th->reach = REACH_AWAITED;
		return;
	}
	stub_leave(th);
	th->stop = STOP_PAUSE;
	th->group_signal = signal == SIGTRAP ? 0 : signal;
}

/* Handles a status. A thread that this halt does not wait for can report the interruption of an
   earlier pause; it goes on. */
static void on_status(struct tracee *t, pid_t tid, int status)
{
	struct thread *th = thread_find(t, tid);
	bool wanted = th && th->reach != REACH_FREE;

	if (th && th->reach == REACH_AWAITED)
		th->reach = REACH_FREE;
	if (wanted && WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP)
		on_pause(th, WSTOPSIG(status));
	else
		t->on_status(t, tid, status);
}

static void take_in(struct tracee *t)
{
	while (t->taken.count) {
		struct taken taken = t->taken.items[0];

		array_remove(&t->taken, 0);
		on_status(t, taken.tid, taken.status);
	}
}

/* ---- threads that cannot be stopped ---------------------------------------------------------- */

/* True if the thread waits in vfork. Other births are uninterruptible as well under
   load, but end by themselves. */
static bool is_in_vfork(const struct thread *th, const struct tracee_block *look)
{
	uint64_t flags = look->args[0];

	if (look->number == SYS_clone3 &&
	    memory_raw_read(space_of(th), look->args[0], &flags, sizeof(flags)) < 0)
		return false;
	return look->number == SYS_vfork ||
	       ((look->number == SYS_clone || look->number == SYS_clone3) && flags & CLONE_VFORK);
}

static bool is_in_exec(const struct tracee_block *look)
{
	return look->number == SYS_execve || look->number == SYS_execveat;
}

static void late(struct tracee *t)
{
	struct tracee_block look;
	struct thread *th;

	take_in(t); /* an exec waits until the threads that it has ended are reaped */
	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (th->reach != REACH_AWAITED)
			continue;
		tracee_look(&th->pub, &look);
		th->looks += look.activity == TRACEE_DISK && !is_in_exec(&look);
		if (look.activity == TRACEE_DEAD && !has_other_id(th))
			th->reach = REACH_ENDED;
		else if (look.activity == TRACEE_DISK &&
			 (is_in_vfork(th, &look) || th->looks >= MOST_LOOKS))
			th->reach = REACH_BEYOND;
	}
}

/* ---- all threads, or one --------------------------------------------------------------------- */

static void halt(struct tracee *t, halt_wanted *wanted, const void *what)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	{
		if (th->reach == REACH_BEYOND)
			th->reach = REACH_FREE;
		th->looks = 0;
	}
	do {
		wait_awaited(t, on_status, late);
		take_in(t);
	} while (interrupt(t, wanted, what));
}

static bool is_other(const struct thread *th, const void *but)
{
	return th != but;
}

static bool is_this(const struct thread *th, const void *one)
{
	return th == one;
}

void tracee_halt(struct tracee *t)
{
	halt(t, is_other, NULL);
}

int tracee_pause(struct tracee *t, struct tracee_thread *thread)
{
	if (thread->state == TRACEE_RUNNING)
		halt(t, is_this, thread_of(thread));
	return tracee_is_paused(thread) ? 0 : -1;
}

bool tracee_is_paused(const struct tracee_thread *thread)
{
	const struct thread *th = (const struct thread *)thread;

	return thread->state == TRACEE_STOPPED && th->stop == STOP_PAUSE;
}

void halt_some(struct tracee *t, halt_wanted *wanted, const void *what, struct paused *paused)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (wanted(th, what) && thread_is_alive(th) && th->pub.state != TRACEE_STOPPED)
		*array_add(paused) = th;
	if (paused->count)
		halt(t, wanted, what);
}

void halt_others(struct tracee *t, const struct thread *but, struct paused *paused)
{
	halt_some(t, is_other, but, paused);
}

void let_others_go(struct paused *paused)
{
	array_each(struct thread *, other, paused)
		if (thread_is_alive(*other) && tracee_is_paused(&(*other)->pub))
			pause_end(*other);
	array_fini(paused);
}
