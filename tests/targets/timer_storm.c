/* Four POSIX timers, two signals, exact arithmetic underneath. Two thousand signals a second: with more, a slow machine does nothing else. */
// arrivals: 2000
#include <signal.h>
#include <stdio.h>
#include <time.h>

static volatile int ticks;

static void on_timer(int sig)
{
	(void)sig;
	ticks++;
}

int main(void)
{
	timer_t t[4];
	volatile unsigned long x = 1;
	for (int i = 0; i < 4; i++) {
		struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL,
				      .sigev_signo = i % 2 ? SIGRTMIN : SIGALRM};
		struct itimerspec every = {{0, 2000000 + i * 1000}, {0, 2000000}};
		signal(ev.sigev_signo, on_timer);
		timer_create(CLOCK_MONOTONIC, &ev, &t[i]);
		timer_settime(t[i], 0, &every, NULL);
	}
	for (int i = 0; i < 2000; i++)
		x = x * 6364136223846793005UL + 1442695040888963407UL; /* gate: here */
	while (ticks < 100)
		;
	for (int i = 0; i < 4; i++)
		timer_delete(t[i]);
	printf("x %lx\n", x);
	return 0;
}
