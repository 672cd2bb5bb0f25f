/*
 * Ends gatectl and the program by a signal that the loop does not handle in time: after half a
 * second of computing, or three seconds. README.md explains what is done for an attached program.
 */
#include "tracer/tracee/events/signals.h"
#include "tracer/tracee/tracee_internal.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	COMPUTES_MS = 500,
	LASTS_MS = 3000,
	/* processes to wait for; others end with their tracer (PTRACE_O_EXITKILL) */
	MOST = 1024,
	DYING_TURNS = 30 /* bounds the wait for a process in an uninterruptible state */
};

static timer_t computed, passed;
static bool forbidden;
static volatile sig_atomic_t signal_to_die_by;
static volatile pid_t tree[MOST];
static const char *volatile left_behind, *volatile last_words;

bool hurry_is(const void *timer)
{
	return timer == &computed || timer == &passed;
}

static void set(timer_t timer, long ms)
{
	const struct itimerspec once = {
		.it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}};

	timer_settime(timer, 0, &once, NULL);
}

void hurry_begin(int signal)
{
	if (forbidden)
		return;
	signal_to_die_by = signal;
	set(computed, COMPUTES_MS);
	set(passed, LASTS_MS);
}

void hurry_end(void)
{
	set(computed, 0);
	set(passed, 0);
}

int hurry_open(struct error *err)
{
	if (signals_timer(CLOCK_PROCESS_CPUTIME_ID, &computed, err) < 0)
		return -1;
	if (signals_timer(CLOCK_MONOTONIC, &passed, err) == 0)
		return 0;
	timer_delete(computed);
	return -1;
}

void hurry_close(void)
{
	forbidden = false;
	timer_delete(computed);
	timer_delete(passed);
}

void hurry_forbid(void)
{
	forbidden = true;
}

static void interrupt_replace(pid_t from, pid_t to)
{
	for (size_t i = 0; i < MOST; i++)
		if (tree[i] == from) {
			tree[i] = to;
			return;
		}
}

void hurry_add(pid_t pid)
{
	interrupt_replace(0, pid);
}

void hurry_remove(pid_t pid)
{
	interrupt_replace(pid, 0);
}

void tracee_signals_unlink(const char *path)
{
	left_behind = path;
}

void tracee_signals_say(const char *text)
{
	last_words = text;
}

void tracee_signals_go_on(void)
{
	hurry_end();
}

/* Takes one wait status. A thread that stops on the way to its end is resumed. */
static pid_t reap(void)
{
	int status;
	pid_t pid = waitpid(-1, &status, __WALL | WNOHANG);

	if (pid > 0 && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, pid, 0, 0);
	return pid;
}

/* Kills and reaps the program. All signals are blocked, so a SIGCHLD stays
   pending until sigtimedwait(). */
static void kill_tree(void)
{
	const struct timespec a_while = {.tv_nsec = 100000000};
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (int turn = 0; turn < DYING_TURNS; turn++) {
		pid_t pid;

		for (size_t i = 0; i < MOST; i++)
			if (tree[i])
				kill(tree[i], SIGKILL);
		while ((pid = reap()) > 0)
			;
		if (pid < 0)
			return; /* no child is left */
		sigtimedwait(&child, NULL, &a_while);
	}
}

void hurry_die(void)
{
	kill_tree();
	if (left_behind)
		unlink(left_behind);
	if (last_words && write(STDERR_FILENO, last_words, strlen(last_words)) < 0)
		_exit(128 + signal_to_die_by);
	_exit(128 + signal_to_die_by);
}
