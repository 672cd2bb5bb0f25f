/*
 * launch RUNS CPU PROG ARG...: fork, exec and wait, so many times, on one processor or, with -1, on any. Prints seconds
 * that passed, seconds of computing (user and system), KB of the largest process, and the status of the last run that
 * was not 0. A program's memory at its peak counts what its parent had when it began it: this parent has next to nothing.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (cpu >= 0 && sched_setaffinity(0, sizeof(set), &set) < 0)
		perror("launch: sched_setaffinity"), exit(127);
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static int run(char **argv)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int bad = 0, status;
	double begun;

	if (argc < 4)
		return 2;
	pin(atoi(argv[2]));
	begun = now();
	for (long i = atol(argv[1]); i > 0; i--)
		if ((status = run(argv + 3)))
			bad = status;
	begun = now() - begun;
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("%.9f %.6f %ld %d\n", begun, seconds(&usage.ru_utime) + seconds(&usage.ru_stime),
	       usage.ru_maxrss, bad);
	return 0;
}
