/* Timers on the program's clock. The calls that set and read a timer are answered here; its
   expiration is a step of the schedule, which ends the pause of the clock like a time-out. A timer
   that cannot be stopped in the kernel (processor time, pidfd_getfd(2) refused) stays there. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/syscalls/timers.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

enum { EARLY_MOST = 8, PATH_MOST = 4096, NS_OF_S = 1000000000, NS_OF_US = 1000 };

static struct tracee_process *tracee_of(const struct run_process *p)
{
	return run_process_tracee(p);
}

/* ---- timers ------------------------------------------------------------------------------ */

static struct sched_timer *timer_at(const struct scheduler *c, enum timer_kind kind,
				    const struct run_process *p, uint64_t id)
{
	array_each(struct sched_timer *, timer, &c->timers)
		if ((*timer)->kind == kind && (*timer)->process == p && (*timer)->id == id)
			return *timer;
	return NULL;
}

/* Processes share a timerfd that a child has inherited. */
static struct sched_timer *timer_marked(const struct scheduler *c, unsigned mark)
{
	array_each(struct sched_timer *, timer, &c->timers)
		if ((*timer)->kind == TIMER_FD && (*timer)->mark == mark)
			return *timer;
	return NULL;
}

/* Adds a timer, which is a thread to the strategy: its path is that of the thread that sets it,
   and the number among that thread's timers. */
static struct sched_timer *timer_add(struct scheduler *c, struct sched_thread *maker,
				     enum timer_kind kind, uint64_t id)
{
	struct sched_timer *timer = base_alloc(1, sizeof(*timer));
	char path[PATH_MOST];

	strategy_leave_out(c->given->strategy, STRATEGY_LEFT_TIME);
	*array_add(&c->timers) = timer;
	timer->kind = kind;
	timer->process = run_process_of(maker->thread);
	timer->id = id;
	timer->mark = ++c->timers_made;
	snprintf(path, sizeof(path), "%s.t%x", maker->path, ++maker->timers);
	timer->as.number = threads_number_of(c->given, path);
	timer->as.path = c->given->paths.items[timer->as.number];
	snprintf(path, sizeof(path), SCHEDULE_TIMER "%u", timer->mark);
	timer->as.listed = schedule_thread(&c->given->schedule, path);
	return timer;
}

static void timer_drop(struct scheduler *c, size_t i)
{
	base_free(c->timers.items[i]);
	array_remove(&c->timers, i);
}

/* The point of an expiration is where the timer was set. */
static void place_timer(struct scheduler *c, const struct sched_thread *t,
			struct sched_timer *timer)
{
	const struct schedule *s = &c->given->schedule;
	struct run_process *p = run_process_of(t->thread);

	timer->as.point = (struct strategy_point){.thread = timer->as.number,
						  .op = STRATEGY_TIMEOUT,
						  .object = STRATEGY_ANY_OBJECT,
						  .writes = true};
	timer->as.place = addresses_number(c->given, p, t->call.pc);
	timer->as.known = POINT_PLACED | POINT_DESCRIBED | POINT_NAMED;
	timer->as.where = s->steps.count ? s->steps.items[s->steps.count - 1].where
					 : (struct schedule_where){0};
}

/* ---- setting and reading ----------------------------------------------------------------- */

/* The setting of a timer, or what is left of it. */
struct setting {
	uint64_t value_ns, interval_ns;
	bool is_absolute;
};

static struct setting setting_of(const struct scheduler *c, const struct sched_timer *timer)
{
	struct setting s = {0};

	if (!timer)
		return s;
	s.interval_ns = timer->interval_ns;
	if (timer->as.timed) /* a timer that is due has not expired before its step */
		s.value_ns = timer->as.until_ns > c->now_ns ? timer->as.until_ns - c->now_ns : 1;
	return s;
}

static bool to_ns(const struct timespec *time, long unit, uint64_t *ns)
{
	if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= NS_OF_S / unit ||
	    time->tv_sec >= INT64_MAX / NS_OF_S)
		return false;
	*ns = (uint64_t)time->tv_sec * NS_OF_S + (uint64_t)(time->tv_nsec * unit);
	return true;
}

/* Reads a struct itimerspec, or with a unit of microseconds a struct itimerval. Returns false if
   the kernel rejects it. */
static bool read_setting(const struct sched_thread *t, uint64_t address, long unit,
			 struct setting *out)
{
	struct itimerspec spec;

	return run_thread_read(t->thread, address, &spec, sizeof(spec)) == 0 &&
	       to_ns(&spec.it_value, unit, &out->value_ns) &&
	       to_ns(&spec.it_interval, unit, &out->interval_ns);
}

static struct timespec time_of(uint64_t ns, long unit)
{
	return (struct timespec){(time_t)(ns / NS_OF_S), (long)(ns % NS_OF_S) / unit};
}

/* Returns the result of a call that tells the setting at this address. */
static int64_t tell_setting(const struct sched_thread *t, uint64_t address, long unit,
			    struct setting s)
{
	const struct itimerspec spec = {time_of(s.interval_ns, unit), time_of(s.value_ns, unit)};

	return run_thread_write(t->thread, address, &spec, sizeof(spec)) < 0 ? -EFAULT : 0;
}

static void arm(struct scheduler *c, const struct sched_thread *t, struct sched_timer *timer,
		const struct setting *s)
{
	const struct tracee_limit limit = {
		.ns = s->value_ns, .is_absolute = s->is_absolute, .clock = timer->sends.clock};

	place_timer(c, t, timer);
	timer->interval_ns = s->interval_ns;
	timer->has_expired = false;
	timer->overrun = 0;
	times_limit(c, &timer->as, &limit);
	timer->as.timed = s->value_ns != 0;
}

/* ---- each kind of timer: returns NULL if the kernel keeps it ------------------------------- */

static struct sched_timer *timerfd_of(struct scheduler *c, struct sched_thread *t)
{
	const struct run_process *p = run_process_of(t->thread);
	int fd = (int)t->call.args[0];
	struct tracee_timerfd is;
	struct sched_timer *timer;
	bool added;

	if (!tracee_timerfd(tracee_of(p), fd, &is))
		return NULL;
	timer = timer_marked(c, is.mark);
	added = !timer;
	if (added)
		timer = timer_add(c, t, TIMER_FD, (uint64_t)fd);
	if (tracee_timerfd_stop(tracee_of(p), fd, timer->mark)) {
		timer->sends.clock = is.clock;
		return timer;
	}
	if (added)
		timer_drop(c, c->timers.count - 1);
	c->real_timers = true;
	return NULL;
}

/* Clocks of processor time are the kernel's. */
static bool is_wall_clock(clockid_t clock)
{
	return clock >= 0 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

static struct sched_timer *signal_timer_of(struct scheduler *c, struct sched_thread *t)
{
	const struct run_process *p = run_process_of(t->thread);
	struct tracee_timer sends;
	struct sched_timer *timer;

	if (!tracee_timer(tracee_of(p), (int)t->call.args[0], &sends) ||
	    !is_wall_clock(sends.clock)) {
		c->real_timers = true;
		return NULL;
	}
	timer = timer_at(c, TIMER_SIGNAL, p, t->call.args[0]);
	if (!timer)
		timer = timer_add(c, t, TIMER_SIGNAL, t->call.args[0]);
	timer->sends = sends;
	return timer;
}

static struct sched_timer *process_timer_of(struct scheduler *c, struct sched_thread *t)
{
	struct sched_timer *timer = timer_at(c, TIMER_PROCESS, run_process_of(t->thread), 0);

	if (!timer)
		timer = timer_add(c, t, TIMER_PROCESS, 0);
	timer->sends = (struct tracee_timer){.clock = CLOCK_MONOTONIC, .signal = SIGALRM};
	return timer;
}

/* ---- calls that set a timer -------------------------------------------------------------- */

/* Sets the timer and returns the result of the call; `old`: where the program wants what was left
   of it, or 0. */
static int64_t set(struct scheduler *c, const struct sched_thread *t, struct sched_timer *timer,
		   const struct setting *s, uint64_t old, long unit)
{
	struct setting left = setting_of(c, timer);

	arm(c, t, timer, s);
	return old ? tell_setting(t, old, unit, left) : 0;
}

/* timerfd_settime(2), timer_settime(2): id, flags, the new setting, the old one. */
static bool set_spec(struct scheduler *c, struct sched_thread *t)
{
	const uint64_t *args = t->call.args;
	struct setting s = {.is_absolute = args[1] & TIMER_ABSTIME};
	struct sched_timer *timer;

	if (!read_setting(t, args[2], 1, &s))
		return false;
	timer = t->call.number == SYS_timerfd_settime ? timerfd_of(c, t) : signal_timer_of(c, t);
	if (timer)
		sched_thread_answer(t, set(c, t, timer, &s, args[3], 1));
	return timer;
}

static bool set_itimer(struct scheduler *c, struct sched_thread *t)
{
	const uint64_t *args = t->call.args;
	struct setting s = {0};

	if (args[0] != ITIMER_REAL) {
		c->real_timers = true;
		return false;
	}
	if (args[1] && !read_setting(t, args[1], NS_OF_US, &s))
		return false;
	sched_thread_answer(t, set(c, t, process_timer_of(c, t), &s, args[2], NS_OF_US));
	return true;
}

/* Returns what is left of the old alarm, in seconds as alarm(2) rounds them. */
static bool set_alarm(struct scheduler *c, struct sched_thread *t)
{
	struct sched_timer *timer = process_timer_of(c, t);
	const struct setting s = {.value_ns = (uint64_t)(unsigned)t->call.args[0] * NS_OF_S};
	uint64_t left = setting_of(c, timer).value_ns, seconds = left / NS_OF_S;

	if (left % NS_OF_S >= NS_OF_S / 2 || (left && !seconds))
		seconds++;
	arm(c, t, timer, &s);
	sched_thread_answer(t, (int64_t)seconds);
	return true;
}

bool timers_set(struct scheduler *c, struct sched_thread *t)
{
	switch (t->call.number) {
	case SYS_timerfd_settime:
	case SYS_timer_settime:
		return set_spec(c, t);
	case SYS_setitimer:
		return set_itimer(c, t);
	case SYS_alarm:
		return set_alarm(c, t);
	default:
		return false;
	}
}

/* ---- other calls ------------------------------------------------------------------------- */

static const struct sched_timer *timer_of_call(const struct scheduler *c,
					       const struct sched_thread *t)
{
	const struct run_process *p = run_process_of(t->thread);
	struct tracee_timerfd is;

	if (t->call.number == SYS_timerfd_gettime)
		return tracee_timerfd(tracee_of(p), (int)t->call.args[0], &is)
			       ? timer_marked(c, is.mark)
			       : NULL;
	if (t->call.number != SYS_getitimer)
		return timer_at(c, TIMER_SIGNAL, p, t->call.args[0]);
	return t->call.args[0] == ITIMER_REAL ? timer_at(c, TIMER_PROCESS, p, 0) : NULL;
}

static int64_t answer_of(const struct scheduler *c, const struct sched_thread *t,
			 const struct sched_timer *timer)
{
	long unit = t->call.number == SYS_getitimer ? NS_OF_US : 1;

	if (t->call.number == SYS_timer_getoverrun)
		return timer->overrun;
	return tell_setting(t, t->call.args[1], unit, setting_of(c, timer));
}

bool timers_call(struct scheduler *c, struct sched_thread *t)
{
	const struct sched_timer *timer = timer_of_call(c, t);

	if (timer && t->call.number != SYS_timer_delete) {
		sched_thread_answer(t, answer_of(c, t, timer));
		return true;
	}
	for (size_t i = 0; timer && i < c->timers.count; i++)
		if (c->timers.items[i] == timer)
			timer_drop(c, i);
	sched_thread_goes(t);
	return true;
}

void timers_closed(struct scheduler *c, const struct sched_thread *t)
{
	if (t->call.number != SYS_close)
		return;
	array_each(struct sched_timer *, timer, &c->timers)
		(*timer)->may_be_closed |= (*timer)->kind == TIMER_FD;
}

static void timers_remove(struct scheduler *c, const struct run_process *p, enum timer_kind kind)
{
	for (size_t i = c->timers.count; i-- > 0;)
		if (c->timers.items[i]->process == p && c->timers.items[i]->kind == kind)
			timer_drop(c, i);
}

/* An exec deletes timers of timer_create(2) and keeps that of alarm(2). */
void timers_exec(struct scheduler *c, const struct run_process *p)
{
	timers_remove(c, p, TIMER_SIGNAL);
	array_each(struct sched_timer *, timer, &c->timers)
		(*timer)->may_be_closed |= (*timer)->kind == TIMER_FD;
}

/* Other processes can still have a timerfd. */
void timers_process_gone(struct scheduler *c, const struct run_process *p)
{
	timers_remove(c, p, TIMER_SIGNAL);
	timers_remove(c, p, TIMER_PROCESS);
	array_each(struct sched_timer *, timer, &c->timers)
		(*timer)->may_be_closed |= (*timer)->kind == TIMER_FD;
}

/* ---- expirations ------------------------------------------------------------------------- */

/* Finds a descriptor of the timer, which may be another one than at first. Returns NULL if all are
   closed. */
static const struct run_process *timer_holder(const struct scheduler *c, struct sched_timer *timer)
{
	run_each_process(p, c->run) {
		int fd = run_process_lives(p)
				 ? tracee_timerfd_find(tracee_of(p), (int)timer->id, timer->mark)
				 : -1;

		if (fd < 0)
			continue;
		timer->id = (uint64_t)fd;
		return p;
	}
	return NULL;
}

/* True if the program has not noticed the last expiration: another one would change nothing but
   its count. */
static bool is_unnoticed(const struct scheduler *c, struct sched_timer *timer)
{
	const struct run_process *p;
	struct tracee_timerfd is;

	if (!timer->has_expired)
		return false;
	if (timer->kind != TIMER_FD)
		return tracee_timer_is_pending(tracee_of(timer->process), &timer->sends);
	p = timer_holder(c, timer);
	return p && tracee_timerfd(tracee_of(p), (int)timer->id, &is) && is.ticks;
}

static bool can_expire(const struct scheduler *c, struct sched_timer *timer)
{
	if (!timer->as.timed || is_unnoticed(c, timer))
		return false;
	if (timer->may_be_closed)
		timer->as.timed = timer_holder(c, timer);
	timer->may_be_closed = false;
	return timer->as.timed;
}

/* A timer that expires again before a handler is done starves the thread: the handler of the next
   signal follows at once. */
static bool is_too_early(const struct scheduler *c, const struct sched_timer *timer)
{
	return timer->early >= EARLY_MOST && times_pauses(c, timer->as.until_ns);
}

uint64_t timers_first(struct scheduler *c)
{
	uint64_t first = UINT64_MAX;

	array_each(struct sched_timer *, timer, &c->timers)
		if (can_expire(c, *timer) && !is_too_early(c, *timer) &&
		    (*timer)->as.until_ns < first)
			first = (*timer)->as.until_ns;
	return first;
}

void timers_offer(struct scheduler *c, uint64_t until_ns)
{
	array_each(struct sched_timer *, timer, &c->timers)
		if ((*timer)->as.until_ns <= until_ns && can_expire(c, *timer) &&
		    times_may_pass(c, (*timer)->as.until_ns) && !is_too_early(c, *timer))
			scheduler_offer(c, &(*timer)->as, STRATEGY_TIMEOUT);
}

void timers_step(const struct scheduler *c, struct sched_thread *as)
{
	((struct sched_timer *)as)->early += times_pauses(c, as->until_ns);
}

static void expire_timerfd(const struct scheduler *c, struct sched_timer *timer, uint64_t times)
{
	const struct run_process *p = timer_holder(c, timer);
	struct tracee_timerfd is;

	if (p && tracee_timerfd(tracee_of(p), (int)timer->id, &is))
		tracee_timerfd_expire(tracee_of(p), (int)timer->id, is.ticks + times);
}

/* A signal that is still pending counts the expirations (timer_getoverrun(2)). */
static void expire_signal(struct scheduler *c, struct sched_timer *timer, uint64_t times)
{
	struct tracee_process *p = tracee_of(timer->process);

	if (is_unnoticed(c, timer)) {
		timer->overrun += (unsigned)times;
		return;
	}
	timer->overrun = (unsigned)times - 1;
	tracee_timer_expire(p, &timer->sends, timer->overrun);
	c->signals = true;
}

void timers_expire(struct scheduler *c)
{
	array_each(struct sched_timer *, each, &c->timers) {
		struct sched_timer *timer = *each;
		uint64_t times = 1;

		if (!timer->as.timed || timer->as.until_ns > c->now_ns)
			continue;
		if (timer->interval_ns)
			times += (c->now_ns - timer->as.until_ns) / timer->interval_ns;
		if (timer->kind == TIMER_FD)
			expire_timerfd(c, timer, times);
		else
			expire_signal(c, timer, times);
		timer->has_expired = true;
		timer->as.until_ns += times * timer->interval_ns;
		timer->as.timed = timer->interval_ns != 0;
	}
}
