/*
 * A program may trace the one that traces it. gatectl then stands still at its next signal, and so does
 * the program at its next stop: nobody can go on, and no limit or signal is heard.
 *
 * ptrace stops one thread only. A second one looks, four times a second, whether the first is stopped by
 * a thread that we trace ourselves. Where that stays so for a second that process is killed: then the
 * first thread runs again, and says what has happened. Others may trace gatectl as they like.
 *
 * Nobody waits for the end of the second one: most programs run for less time than that takes.
 */
#include "tracer/target/target_internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 250000000, LOOKS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static bool watching;
static size_t watch_number; /* whoever has another one goes home */
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

/* False: there is nobody to be watched any more. */
static bool wait_a_look(size_t number)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (number == watch_number)
		pthread_cond_timedwait(&over, &lock, &until);
	return number == watch_number;
}

static void *watch(void *number)
{
	int looks = 0;

	pthread_mutex_lock(&lock);
	while (wait_a_look((size_t)number)) {
		pid_t tracer = stopped_by();

		looks = tracer ? looks + 1 : 0;
		if (looks == LOOKS)
			free_us(tracer);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* If this fails, a program that does such a thing freezes us: no reason not to run others. */
void frozen_watch(void)
{
	sigset_t all, before;
	pthread_t watcher;

	if (watching)
		return;
	culprit = 0;
	traces = gettid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	watching = !pthread_create(&watcher, NULL, watch, (void *)watch_number);
	if (watching)
		pthread_detach(watcher);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void frozen_end(void)
{
	if (!watching)
		return;
	pthread_mutex_lock(&lock);
	watch_number++;
	pthread_cond_broadcast(&over);
	pthread_mutex_unlock(&lock);
	watching = false;
}

pid_t target_frozen_by(void)
{
	return culprit;
}
