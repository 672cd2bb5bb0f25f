/* Finds out whether a timer may still wake a blocked thread. Only the process itself can ask for
 * its timers, so a held or briefly stopped thread makes the system call. A timer may expire just
 * before: stopped threads stay so until the caller has checked that the others are unchanged. */
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/signals/signals.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

enum { SCRATCH = 512, SIGRTMIN_OF_KERNEL = 32 };

/* ---- from /proc -------------------------------------------------------------------------- */

static bool has_signal(uint64_t set, int signal)
{
	return signal > 0 && set >> (signal - 1) & 1;
}

/* A timer of timer_create(2). */
struct posix_timer {
	int id, signal, clock;
	bool silent; /* SIGEV_NONE */
};

struct posix_timers {
	struct posix_timer *items;
	size_t count, capacity;
};

/* Parses "ID: 0", "signal: 14/0000000000000000", "notify: signal/pid.4711", "ClockID: 1". */
static void read_posix_timers(pid_t pid, struct posix_timers *out)
{
	struct posix_timer *last = NULL;
	char path[64], line[256];
	FILE *f;
	int id;

	snprintf(path, sizeof(path), "/proc/%d/timers", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "ID: %d", &id) == 1) {
			last = array_add(out);
			last->id = id;
		} else if (last) {
			sscanf(line, "signal: %d/", &last->signal);
			sscanf(line, "ClockID: %d", &last->clock);
			last->silent |= strncmp(line, "notify: none", 12) == 0;
		}
	}
	if (f)
		fclose(f);
}

/* CPU-time clocks stand still while the thread does not run. Ignored signals wake no thread, except
 * libc's own (some shells start programs with them ignored), which the waiting thread blocks. */
static bool can_run_out(const struct posix_timer *timer, const struct tracee_signals *signals)
{
	bool ignored =
		timer->signal < SIGRTMIN_OF_KERNEL && has_signal(signals->ignored, timer->signal);

	return !timer->silent && !ignored && timer->clock != CLOCK_PROCESS_CPUTIME_ID &&
	       timer->clock != CLOCK_THREAD_CPUTIME_ID;
}

/* ---- from the process itself ------------------------------------------------------------- */

/* Makes a system call that writes the time left to its second argument. In
 * doubt the timer is armed. */
static bool is_armed(struct run *s, struct run_thread *t, long number, int which)
{
	uint64_t args[6] = {(uint64_t)which}, left[4]; /* interval and time left */
	struct arch_regs regs;
	int64_t result;

	_Static_assert(sizeof(struct itimerval) == sizeof(left), "as getitimer writes it");
	_Static_assert(sizeof(struct itimerspec) == sizeof(left), "as timer_gettime writes it");
	if (tracee_regs(run_thread_tracee(t), &regs) < 0)
		return true;
	args[1] = (regs.dwarf[ARCH_DWARF_SP] - SCRATCH) & ~(uint64_t)15;
	/* memory that is not written must not look like an answer */
	memset(left, 0xff, sizeof(left));
	if (run_thread_write(t, args[1], left, sizeof(left)) < 0 ||
	    tracee_syscall(run_tracee(s), run_thread_tracee(t), number, args, &result) < 0 ||
	    result != 0 || run_thread_read(t, args[1], left, sizeof(left)) < 0)
		return true;
	return left[2] || left[3];
}

static bool any_armed(struct run *s, struct run_thread *t, const struct tracee_signals *signals,
		      const struct posix_timers *timers)
{
	if (!has_signal(signals->ignored, SIGALRM) && is_armed(s, t, SYS_getitimer, ITIMER_REAL))
		return true;
	array_each(struct posix_timer, timer, timers)
		if (can_run_out(timer, signals) && is_armed(s, t, SYS_timer_gettime, timer->id))
			return true;
	return false;
}

/* True if the thread is held or stopped where it can make a system call. */
static bool stands_to_ask(const struct run_thread *t)
{
	return (run_thread_is_held(t) || tracee_is_paused(run_thread_tracee(t))) &&
	       tracee_can_call(run_thread_tracee(t));
}

/* Returns a thread of the process that can make a system call: held, or in an
 * interruptible sleep. */
static struct run_thread *somebody(struct run *s, const struct run_process *p)
{
	struct run_thread *sleeper = NULL;

	run_each_thread(t, s) {
		struct tracee_block look;

		if (run_process_of(t) != p || !run_thread_lives(t))
			continue;
		if (stands_to_ask(t))
			return t;
		tracee_look(run_thread_tracee(t), &look);
		if (look.activity == TRACEE_BLOCKED && syscalls_can_be_asked(&look) &&
		    (!sleeper || look.number == SYS_futex))
			sleeper = t;
	}
	return sleeper;
}

static bool ask_somebody(struct run *s, struct run_process *p, const struct tracee_signals *signals,
			 const struct posix_timers *timers, struct timers_asked *asked)
{
	struct run_thread *t = somebody(s, p);
	struct tracee_signals own;

	if (!t) /* all threads are in vfork or in a write, or about to end */
		return timers->count || has_signal(signals->caught, SIGALRM);
	if (!run_thread_is_held(t) && !tracee_is_paused(run_thread_tracee(t))) {
		if (tracee_pause(run_tracee(s), run_thread_tracee(t)) < 0)
			return true;
		*array_add(asked) = t;
	}
	if (any_armed(s, t, signals, timers))
		return true;
	if (run_thread_is_held(t))
		return false;
	tracee_signals_of(run_thread_tracee(t)->tid,
			  &own); /* a signal that the thread takes when it is resumed */
	return own.pending & ~own.blocked;
}

/* True if a signal is expected from a timer, or from an untraced child. */
static bool expects_signal(struct run *s, struct run_process *p, struct timers_asked *asked)
{
	struct posix_timers timers = {0};
	struct tracee_signals signals;
	bool expects;

	tracee_signals_of(run_process_pid(p), &signals);
	read_posix_timers(run_process_pid(p), &timers);
	expects = run_has_untraced_children(s) && signals.caught;
	if (!expects && (timers.count || !has_signal(signals.ignored, SIGALRM)))
		expects = ask_somebody(s, p, &signals, &timers, asked);
	array_fini(&timers);
	return expects;
}

bool timers_ask(struct run *s, struct timers_asked *asked)
{
	run_each_process(p, s)
		if (run_process_lives(p) && expects_signal(s, p, asked))
			return true;
	return false;
}

bool timers_has_asked(const struct timers_asked *asked, const struct run_thread *t)
{
	array_each(struct run_thread *, it, asked)
		if (*it == t)
			return true;
	return false;
}

void timers_let_go(struct run *s, struct timers_asked *asked)
{
	array_each(struct run_thread *, t, asked)
		tracee_resume(run_tracee(s), run_thread_tracee(*t));
	array_fini(asked);
}

/* ---- waiting for a timer's signal -------------------------------------------------------- */

/* glibc's thread for SIGEV_THREAD is the only one that waits for signal 32. */
bool timers_is_helper(const struct run_thread *t, const struct tracee_block *b)
{
	enum { TIMER_SIGNAL = 32 };
	uint64_t set = 0;

	return b->number == SYS_rt_sigtimedwait && !b->args[2] &&
	       run_thread_read(t, b->args[0], &set, sizeof(set)) == 0 &&
	       set == 1ULL << (TIMER_SIGNAL - 1);
}
