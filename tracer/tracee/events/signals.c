/*
 * gatectl's own signals: the clock that interrupts waitpid, and those that end the run. The clock
 * fires repeatedly while tracee_wait() waits: one firing may come just before waitpid blocks.
 * Elsewhere it fires once and rests.
 */
#include "tracer/tracee/events/signals.h"
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>

enum {
	SIGNALS = 65,
	IDLE_MS = 250, /* longest delay of a user's signal without ticks */
};

static const int endings[] = {SIGINT, SIGTERM, SIGHUP};

/* Signal state that gatectl was started with; the program gets the same. */
static struct sigaction found[SIGNALS];
static sigset_t found_mask;
/* sent at the parent's death, 0: none; not inherited by children */
static int found_at_parents_death;

/* Signal state before signals_open(). */
static struct sigaction before[SIGNALS];
static sigset_t before_mask;

static timer_t timer, limit;
static struct itimerspec period;
static unsigned users;
static bool held; /* tracee_signals_hold() counts in `users` */
static bool wants_ticks;
static volatile unsigned firings;
static volatile sig_atomic_t due, waiting_now, resting, late;
static void (*volatile when_late)(void);
static volatile sig_atomic_t arrived[SIGNALS];

__attribute__((constructor)) static void remember_start(void)
{
	for (int s = 1; s < SIGNALS; s++)
		sigaction(s, NULL, &found[s]);
	sigprocmask(SIG_SETMASK, NULL, &found_mask);
	prctl(PR_GET_PDEATHSIG, &found_at_parents_death);
}

void tracee_signals_as_found(void)
{
	for (int s = 1; s < SIGNALS; s++)
		if (s != SIGKILL && s != SIGSTOP)
			sigaction(s, &found[s], NULL);
	sigprocmask(SIG_SETMASK, &found_mask, NULL);
	prctl(PR_SET_PDEATHSIG, found_at_parents_death);
}

static void on_tick(void)
{
	const struct itimerspec never = {0};
	int saved = errno;

	due = 1;
	firings++;
	if (!waiting_now) {
		resting = 1;
		timer_settime(timer, 0, &never, NULL);
	}
	errno = saved;
}

static void on_limit(void)
{
	int saved = errno;

	late = 1;
	if (when_late)
		when_late();
	errno = saved;
}

static void on_clock(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (hurry_is(info->si_value.sival_ptr))
		hurry_die();
	else if (info->si_value.sival_ptr == &limit)
		on_limit();
	else
		on_tick();
}

static void on_ending(int signal)
{
	arrived[signal] = 1;
	hurry_begin(signal);
}

static void handle_as(int signal, struct sigaction action)
{
	sigfillset(&action.sa_mask);
	sigaction(signal, NULL, &before[signal]);
	sigaction(signal, &action, NULL);
}

static void handle(int signal, void (*handler)(int))
{
	handle_as(signal, (struct sigaction){.sa_handler = handler});
}

/* Installs the handler, unless the signal is ignored (nohup). */
static void handle_unless_ignored(int signal, void (*handler)(int))
{
	handle(signal, handler);
	if (before[signal].sa_handler == SIG_IGN)
		sigaction(signal, &before[signal], NULL);
}

int signals_timer(clockid_t clock, timer_t *made, struct error *err)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
				 .sigev_signo = SIGALRM,
				 .sigev_value.sival_ptr = made};

	if (timer_create(clock, &event, made) == 0)
		return 0;
	error_errno(err, ERROR_SYSTEM, "timer_create");
	return error_hint(err, "each timer counts as a pending signal: raise `ulimit -i`");
}

static int make_timers(struct error *err)
{
	if (signals_timer(CLOCK_MONOTONIC, &timer, err) < 0)
		return -1;
	if (signals_timer(CLOCK_MONOTONIC, &limit, err) == 0) {
		if (hurry_open(err) == 0)
			return 0;
		timer_delete(limit);
	}
	timer_delete(timer);
	return -1;
}

int signals_open(unsigned tick_ms, struct error *err)
{
	sigset_t clock;

	if (!users && make_timers(err) < 0)
		return -1;
	due = resting = waiting_now = late = 0;
	if (users++) {
		signals_period(tick_ms);
		return 0;
	}
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		arrived[endings[i]] = 0;
		handle_unless_ignored(endings[i], on_ending);
	}
	/* gatectl stops when the program does: mirror_stop() */
	handle_unless_ignored(SIGTSTP, SIG_IGN);
	/* if ignored, the kernel would discard the program's exit status */
	handle(SIGCHLD, SIG_DFL);
	handle_as(SIGALRM, (struct sigaction){.sa_sigaction = on_clock, .sa_flags = SA_SIGINFO});
	sigemptyset(&clock);
	sigaddset(&clock, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &clock, &before_mask);
	signals_period(tick_ms);
	return 0;
}

void signals_close(void)
{
	if (--users) { /* tracee_signals_hold() has it open, no run needs the clock */
		timer_settime(timer, 0, &(struct itimerspec){0}, NULL);
		return;
	}
	timer_delete(timer);
	timer_delete(limit);
	hurry_close();
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		sigaction(endings[i], &before[endings[i]], NULL);
	sigaction(SIGTSTP, &before[SIGTSTP], NULL);
	sigaction(SIGCHLD, &before[SIGCHLD], NULL);
	sigaction(SIGALRM, &before[SIGALRM], NULL);
	sigprocmask(SIG_SETMASK, &before_mask, NULL);
}

void signals_period(unsigned tick_ms)
{
	unsigned ms = tick_ms ? tick_ms : IDLE_MS;

	wants_ticks = tick_ms != 0;
	period.it_interval.tv_sec = ms / 1000;
	period.it_interval.tv_nsec = (long)(ms % 1000) * 1000000;
	period.it_value = period.it_interval;
	resting = 0;
	timer_settime(timer, 0, &period, NULL);
}

/* Sets the limit. The timer fires repeatedly: the first firing may come
   just before waitpid blocks. */
void signals_limit(unsigned ms)
{
	enum { AGAIN_MS = 5 };
	struct itimerspec when = {.it_interval.tv_nsec = AGAIN_MS * 1000000};

	when.it_value.tv_sec = ms / 1000;
	when.it_value.tv_nsec = (long)(ms % 1000) * 1000000;
	timer_settime(limit, 0, &when, NULL);
	late = 0;
}

void signals_when_late(void (*what)(void))
{
	when_late = what;
}

bool signals_late(void)
{
	return late;
}

void signals_waiting(bool waiting)
{
	waiting_now = waiting;
	atomic_signal_fence(memory_order_seq_cst);
	if (waiting && resting) {
		resting = 0;
		timer_settime(timer, 0, &period, NULL);
	}
}

unsigned signals_firings(void)
{
	return firings;
}

bool signals_tick_due(void)
{
	return due && wants_ticks;
}

void signals_take_tick(void)
{
	due = 0;
}

int signals_interrupt(void)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		if (!arrived[endings[i]])
			continue;
		arrived[endings[i]] = 0;
		return endings[i];
	}
	return 0;
}

bool tracee_signals_came(void)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (arrived[endings[i]])
			return true;
	return false;
}

void tracee_signals_put_back(int signal)
{
	arrived[signal] = 1;
}

/* Takes the signal's default action once; a second such signal meanwhile merges with the first. In
   an orphaned process group the kernel stops a process only by SIGSTOP. */
void signals_stop_by(int signal)
{
	struct sigaction ours = {0}, by_default = {.sa_handler = SIG_DFL};
	sigset_t this_one, before_this;

	sigemptyset(&this_one);
	sigaddset(&this_one, signal);
	sigprocmask(SIG_BLOCK, &this_one, &before_this);
	sigaction(signal, &by_default, &ours);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &this_one, NULL);
	sigaction(signal, &ours, NULL);
	sigprocmask(SIG_SETMASK, &before_this, NULL);
}

void tracee_signals_hold(void)
{
	ERROR(ignored); /* the launch of the first target reports the same error */

	held = signals_open(0, &ignored) == 0;
	if (held)
		timer_settime(timer, 0, &(struct itimerspec){0}, NULL);
}

int tracee_signals_release(void)
{
	int signal = signals_interrupt();

	if (held)
		signals_close();
	held = false;
	return signal;
}
