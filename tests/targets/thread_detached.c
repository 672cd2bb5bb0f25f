/* Detached threads: nobody joins them, their stacks are reused by the next ones. */
// arrivals: 50
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static volatile int steps;

static void *body(void *arg)
{
	pthread_detach(pthread_self());
	steps++; /* gate: here */
	sem_post(&done);
	return arg;
}

int main(void)
{
	sem_init(&done, 0, 0);
	for (int i = 0; i < 50; i++) {
		pthread_t t;
		pthread_create(&t, NULL, body, NULL);
		while (sem_wait(&done))
			;
	}
	printf("steps %d\n", steps);
	return 0;
}
