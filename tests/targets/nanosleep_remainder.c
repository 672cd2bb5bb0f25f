/* A sleep cut short by a signal tells what is left of it; the rest is slept afterwards. */
// arrivals: 1
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int seen;
static pthread_t sleeper;

static void on_alarm(int sig)
{
	(void)sig;
	seen++; /* gate: here */
}

static int sleeps(void)
{
	char path[64], text[256] = "";
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	FILE *f = fopen(path, "r");
	fgets(text, sizeof(text), f);
	fclose(f);
	return strstr(text, ") S ") != NULL;
}

/* The signal comes when the main thread sleeps, however long it takes to get there. */
static void *waker(void *arg)
{
	while (!sleeps())
		sched_yield();
	pthread_kill(sleeper, SIGALRM);
	return arg;
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_alarm};
	struct timespec want = {1000, 0}, left = {0, 0};
	pthread_t t;
	sigaction(SIGALRM, &sa, NULL);
	sleeper = pthread_self();
	pthread_create(&t, NULL, waker, NULL);
	int first = nanosleep(&want, &left);
	int eintr = first == -1 && errno == EINTR;
	int some = left.tv_sec > 0 && left.tv_sec <= want.tv_sec; /* timers have slack */
	left.tv_sec = 0;
	left.tv_nsec = 1000000;
	printf("eintr %d left %d then %d seen %d\n", eintr, some, nanosleep(&left, NULL), seen);
	pthread_join(t, NULL);
	return 0;
}
