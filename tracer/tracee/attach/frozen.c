/*
 * A program may trace the one that traces it. gatectl then stands still at its next signal, and so does
 * the program at its next stop: nobody can go on, and no limit or signal is heard.
 *
 * ptrace stops one thread only. A second one looks, four times a second, whether the first is stopped by
 * a thread that we trace ourselves. Where that stays so for a second that process is killed: then the
 * first thread runs again, and says what has happened. Others may trace gatectl as they like.
 *
 * The second one stays when nothing is traced any more, and sleeps: to start and to end it takes as long as many a program.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/events/signals.h"
#include "tracer/tracee/tracee_internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 250000000, LOOKS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begins = PTHREAD_COND_INITIALIZER;
static bool watching, asleep;
static pid_t home;   /* the process that it is a thread of: a forked one has none */
static pid_t traces; /* the thread that does all that gatectl does */
static atomic_int culprit;

/* The thread of ours that stops us now, or 0. */
static pid_t stopped_by(void)
{
	char stat[512] = "";
	const char *state;
	long tracer = look_status(traces, "TracerPid");

	if (tracer <= 0 || look_status((pid_t)tracer, "TracerPid") != traces ||
	    look_proc(traces, "stat", stat, sizeof(stat)) <= 0)
		return 0;
	state = strrchr(stat, ')');
	return state && state[1] == ' ' && state[2] == 't' ? (pid_t)tracer : 0;
}

static void free_us(pid_t tracer)
{
	long process = look_status(tracer, "Tgid");

	if (process <= 0)
		return;
	culprit = (int)process;
	kill(getpid(),
	     SIGCONT); /* first: the SIGSTOP of PTRACE_ATTACH would stop us as soon as it is dead */
	kill((pid_t)process, SIGKILL);
}

/* False: nothing was traced meanwhile. */
static bool wait_a_look(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	asleep = !watching;
	if (asleep)
		pthread_cond_wait(&begins, &lock);
	else
		pthread_cond_timedwait(&begins, &lock, &until);
	return watching && !asleep;
}

static void *attach_frozen_watch(void *unused)
{
	int looks = 0;

	pthread_mutex_lock(&lock);
	for (;;) {
		pid_t tracer = wait_a_look() ? stopped_by() : 0;

		looks = tracer ? looks + 1 : 0;
		if (looks == LOOKS)
			free_us(tracer);
	}
	return unused;
}

static bool start_watcher(void)
{
	sigset_t all, before;
	pthread_t watcher;
	bool started;

	/* What a fork has copied of them may be locked. */
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	begins = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&watcher, NULL, attach_frozen_watch, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (started)
		pthread_detach(watcher);
	return started;
}

/* If this fails, a program that does such a thing freezes us: no reason not to run others. */
void frozen_watch(void)
{
	if (home != getpid()) {
		watching = false;
		home = start_watcher() ? getpid() : 0;
	}
	if (watching || !home)
		return;
	pthread_mutex_lock(&lock);
	watching = true;
	culprit = 0;
	traces = gettid();
	if (asleep)
		pthread_cond_signal(&begins);
	pthread_mutex_unlock(&lock);
}

void frozen_end(void)
{
	if (home != getpid())
		return;
	pthread_mutex_lock(&lock);
	watching = false;
	pthread_mutex_unlock(&lock);
}

pid_t tracee_frozen_by(void)
{
	return culprit;
}
