/*
 * forked RUNS CPU ARG...: what `sync ARG...` does, so many times, each in a copy of one process that was made when it came to
 * main; all of it under ptrace, on one processor or, with -1, on any. Nobody decides anything, and there are no points: the
 * stops are those of births and deaths alone. Prints the seconds: no search takes less that makes a fork for each run.
 */
#define _GNU_SOURCE
#define main sync_main
#include "sync.c"
#undef main

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The process whose copies are made. */
static int copy(long runs, int argc, char **argv)
{
	int status, bad = 0;

	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	for (long i = 0; i < runs; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(sync_main(argc, argv));
		if (child < 0 || waitpid(child, &status, 0) < 0 || status)
			bad = 1;
	}
	return bad;
}

/* Every stop is passed on at once. The status of the process itself. */
static int trace(pid_t child)
{
	int status, last = 0;
	pid_t tid;

	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, child, 0, 0);
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		int signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (signal)
			ptrace(PTRACE_CONT, tid, 0, signal == SIGTRAP || signal == SIGSTOP ? 0 : signal);
		else if (tid == child)
			last = status;
	}
	return last;
}

int main(int argc, char **argv)
{
	cpu_set_t set;
	double begun;
	pid_t child;
	int cpu, bad;

	if (argc < 6)
		return 2;
	cpu = atoi(argv[2]);
	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (cpu >= 0 && sched_setaffinity(0, sizeof(set), &set) < 0)
		return 3;
	begun = now();
	child = fork();
	if (child == 0)
		_exit(copy(atol(argv[1]), argc - 2, argv + 2));
	bad = trace(child);
	printf("%.9f\n", now() - begun);
	return bad != 0;
}
