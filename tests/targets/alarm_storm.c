/* A timer fires every 100 us into the trapped line: no signal may be lost, no addition doubled. */
// arrivals: 3000
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile int ticks;

static void on_alarm(int sig)
{
	(void)sig;
	if (++ticks == 200)
		setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

int main(void)
{
	struct itimerval every = {{0, 100}, {0, 100}};
	volatile long sum = 0;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 3000; i++)
		sum += i; /* gate: here */
	while (ticks < 200)
		;
	printf("sum %ld\n", sum);
	return 0;
}
