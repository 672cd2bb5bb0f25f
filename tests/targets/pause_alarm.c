/* pause in the only thread: it looks dead, but a timer is running. */
// arrivals: 3
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int seen;
static const struct itimerval never;

static void on_alarm(int sig)
{
	(void)sig;
	seen++; /* gate: here */
	if (seen == 3)
		setitimer(ITIMER_REAL, &never, NULL);
}

int main(void)
{
	struct itimerval every = {{0, 100000}, {0, 100000}};
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	while (seen < 3)
		pause();
	printf("seen %d\n", seen);
	return 0;
}
