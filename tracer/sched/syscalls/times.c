/* Virtual time of a run: a step takes a microsecond, and the clock advances to the end of a wait
   that the strategy ends. A read of the clock takes a microsecond, too, and longer in a loop that
   only reads the clock. */
#include "tracer/sched/sched_internal.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

enum { NS_OF_S = 1000000000, NS_OF_US = 1000, PATIENCE = 64, FASTEST = 20 };

/* Start of the program's clocks, equal in each run. */
static const uint64_t realtime_start_ns = 1700000000ull * NS_OF_S;
static const uint64_t other_start_ns = 100000ull * NS_OF_S;

static uint64_t start_of(int clock)
{
	/* clocks of processor time */
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
			       clock == CLOCK_REALTIME_ALARM
		       ? realtime_start_ns
	       : clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
			       clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME ||
			       clock == CLOCK_BOOTTIME_ALARM
		       ? other_start_ns
		       : 0;
}

/* ---- pauses ------------------------------------------------------------------------------ */

/* Returns the time from which on the thread can go on, if time passes and it does not. A thread
   that spins waits for others, and a preempted one computes. */
static uint64_t can_go_on_from(const struct scheduler *c, const struct sched_thread *t)
{
	if (t->spins || t->preempted)
		return UINT64_MAX;
	if (t->state == THREAD_READY || t->signalled)
		return c->now_ns;
	if (!t->timed)
		return UINT64_MAX;
	return t->until_ns > c->now_ns ? t->until_ns : c->now_ns;
}

void times_advance(struct scheduler *c, uint64_t until_ns)
{
	struct sched_pause *longest = &c->given->pause;

	if (until_ns <= c->now_ns)
		return;
	array_each(struct sched_thread *, t, &c->threads) {
		uint64_t from = can_go_on_from(c, *t);

		if (from >= until_ns)
			continue;
		(*t)->paused_ns += until_ns - from;
		if ((*t)->paused_ns <= longest->ns)
			continue;
		longest->ns = (*t)->paused_ns;
		longest->thread = (*t)->listed;
	}
	c->now_ns = until_ns;
}

bool times_pauses(const struct scheduler *c, uint64_t until_ns)
{
	array_each(struct sched_thread *, t, &c->threads)
		if (can_go_on_from(c, *t) < until_ns)
			return true;
	return false;
}

bool times_may_pass(const struct scheduler *c, uint64_t until_ns)
{
	if (!(c->given->flags & SCHED_PAUSES))
		return true;
	array_each(struct sched_thread *, t, &c->threads) {
		uint64_t from = can_go_on_from(c, *t);

		if (from < until_ns &&
		    (*t)->paused_ns + (until_ns - from) > c->given->pause_most_ns)
			return false;
	}
	return true;
}

void times_asked(struct scheduler *c, uint64_t ns)
{
	if (ns > c->given->pause.slept_ns)
		c->given->pause.slept_ns = ns;
}

void times_step(struct scheduler *c, struct sched_thread *t)
{
	c->now_ns += NS_OF_US;
	t->paused_ns = 0;
	t->spins += spin_step(&t->going, &t->point);
}

/* ---- clocks ------------------------------------------------------------------------------ */

static uint64_t now_of(struct scheduler *c, int clock)
{
	unsigned shift = ++c->clock_reads / PATIENCE;

	times_advance(c, c->now_ns + ((uint64_t)NS_OF_US << (shift < FASTEST ? shift : FASTEST)));
	return start_of(clock) + c->now_ns;
}

static int64_t times_tell(const struct sched_thread *t, uint64_t address, uint64_t ns, long unit)
{
	const struct timespec time = {(time_t)(ns / NS_OF_S), (long)(ns % NS_OF_S) / unit};

	if (!address)
		return 0;
	return run_thread_write(t->thread, address, &time, sizeof(time)) < 0 ? -EFAULT : 0;
}

static int64_t tell_seconds(struct scheduler *c, const struct sched_thread *t)
{
	int64_t now = (int64_t)(now_of(c, CLOCK_REALTIME) / NS_OF_S);

	if (t->call.args[0])
		run_thread_write(t->thread, t->call.args[0], &now, sizeof(now));
	return now;
}

bool times_ask(struct scheduler *c, struct sched_thread *t)
{
	const struct tracee_made *call = &t->call;
	int64_t result;

	if (c->threads.count > 1)
		strategy_leave_out(c->given->strategy, STRATEGY_LEFT_TIME);
	switch (call->number) {
	case SYS_clock_gettime:
		result = times_tell(t, call->args[1], now_of(c, (int)call->args[0]), 1);
		break;
	case SYS_gettimeofday:
		result = times_tell(t, call->args[0], now_of(c, CLOCK_REALTIME), NS_OF_US);
		break;
	default:
		result = tell_seconds(c, t);
	}
	sched_thread_answer(t, result);
	return true;
}

void times_limit(struct scheduler *c, struct sched_thread *t, const struct tracee_limit *limit)
{
	uint64_t ns = limit->ns, start = limit->is_absolute ? start_of(limit->clock) : 0;

	t->timed = true;
	if (limit->is_absolute)
		t->until_ns = ns > start ? ns - start : 0;
	else
		t->until_ns = ns < UINT64_MAX - c->now_ns ? c->now_ns + ns : UINT64_MAX;
}

int64_t times_check(const struct sched_thread *t, uint64_t address)
{
	struct timespec time;

	if (!address)
		return 0;
	if (run_thread_read(t->thread, address, &time, sizeof(time)) < 0)
		return -EFAULT;
	return time.tv_sec < 0 || time.tv_nsec < 0 || time.tv_nsec >= (long)NS_OF_S ? -EINVAL : 0;
}

void times_wait(struct scheduler *c, struct sched_thread *t, uint64_t address, bool absolute,
		int clock)
{
	struct tracee_limit limit = {.is_absolute = absolute, .clock = clock};
	struct timespec time;

	t->timed = false;
	if (!address || times_check(t, address) < 0 ||
	    run_thread_read(t->thread, address, &time, sizeof(time)) < 0 ||
	    (uint64_t)time.tv_sec > UINT64_MAX / NS_OF_S - 1)
		return;
	limit.ns = (uint64_t)time.tv_sec * NS_OF_S + (uint64_t)time.tv_nsec;
	times_limit(c, t, &limit);
}

static void sleeps(struct scheduler *c, struct sched_thread *t, uint64_t address, bool absolute,
		   int clock)
{
	times_wait(c, t, address, absolute, clock);
	if (!t->timed) { /* the kernel rejects the call */
		sched_thread_goes(t);
		return;
	}
	times_asked(c, t->until_ns > c->now_ns ? t->until_ns - c->now_ns : 0);
	t->point = (struct strategy_point){.op = STRATEGY_TIMEOUT, .place = t->call.pc};
	t->known &= ~(unsigned)POINT_PLACED;
	t->state = THREAD_SLEEPS;
}

bool times_sleep(struct scheduler *c, struct sched_thread *t)
{
	const uint64_t *args = t->call.args;

	if (t->call.number == SYS_nanosleep)
		sleeps(c, t, args[0], false, 0);
	else
		sleeps(c, t, args[2], args[1] & TIMER_ABSTIME, (int)args[0]);
	return true;
}
