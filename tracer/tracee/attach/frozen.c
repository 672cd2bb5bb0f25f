/*
 * A program that traces gatectl stops it at the next signal, and then itself for ever. A
 * second thread of gatectl watches for that and kills such a process, so that the first thread
 * can report it: README.md.
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
static pid_t home;	   /* process that the watcher is a thread of; a forked process has none */
static pid_t traces;	   /* thread of gatectl that traces the program */
static atomic_int culprit; /* process that was killed, or 0 */

/* Returns the traced thread that stops gatectl at the moment, or 0. */
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
	/* SIGCONT comes first: the SIGSTOP of PTRACE_ATTACH would stop gatectl as soon as its
	   tracer is dead. */
	kill(getpid(), SIGCONT);
	kill((pid_t)process, SIGKILL);
}

/* Waits for the next look. Returns false if nothing was traced meanwhile. */
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

	/* A fork may have copied the lock in locked state. */
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

/* Starts the watcher, or wakes it. A failure is ignored: it matters only for a
   program that traces gatectl. */
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
