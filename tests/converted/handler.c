/* A thread is sent a signal when it surely has its handler and waits in read(2). */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int ends[2], failed;

static void nothing(int signal)
{
	(void)signal;
}

static void *reader(void *arg)
{
	struct sigaction act = {.sa_handler = nothing};
	char c;

	sigaction(SIGUSR2, &act, NULL);
	failed = read(ends[0], &c, 1) < 0 ? errno : 0;
	return arg;
}

int main(void)
{
	const struct timespec half = {0, 500000000};
	pthread_t thread;

	pipe(ends);
	pthread_create(&thread, NULL, reader, NULL);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &half, NULL);
	pthread_kill(thread, SIGUSR2);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &half, NULL);
	write(ends[1], "x", 1);
	pthread_join(thread, NULL);
	puts(failed == EINTR ? "interrupted" : "not interrupted");
	return failed != EINTR;
}
