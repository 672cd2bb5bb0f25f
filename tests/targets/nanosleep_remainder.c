/* A sleep cut short by a signal tells what is left of it; the rest is slept afterwards. */
// arrivals: 1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

static volatile int seen;

static void on_alarm(int sig)
{
	(void)sig;
	seen++; /* gate: here */
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_alarm};
	struct itimerval once = {{0, 0}, {0, 20000}};
	struct timespec want = {0, 300000000}, left = {0, 0};
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &once, NULL);
	int first = nanosleep(&want, &left);
	int eintr = first == -1 && errno == EINTR;
	int some = left.tv_nsec > 0 && left.tv_nsec < want.tv_nsec;
	left.tv_nsec = 1000000;
	printf("eintr %d left %d then %d seen %d\n", eintr, some, nanosleep(&left, NULL), seen);
	return 0;
}
