/* SIGEV_THREAD: the C library makes a thread for each expiry behind the program's back. */
// arrivals: 5
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static sem_t fired;
static volatile int steps;

static void expired(union sigval v)
{
	(void)v;
	steps++; /* gate: here */
	sem_post(&fired);
}

int main(void)
{
	timer_t t;
	struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired};
	sem_init(&fired, 0, 0);
	timer_create(CLOCK_MONOTONIC, &ev, &t);
	for (int i = 0; i < 5; i++) {
		struct itimerspec once = {{0, 0}, {0, 1000000}};
		timer_settime(t, 0, &once, NULL);
		while (sem_wait(&fired))
			;
	}
	timer_delete(t);
	printf("fired %d\n", steps);
	return 0;
}
