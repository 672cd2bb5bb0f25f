/* Dining philosophers, three of them, forks as semaphores: each takes the left one first.
 * All three have their left fork before any takes its right one. The twin lets only two sit down. */
#include <semaphore.h>
#include "bug.h"

static sem_t chairs, forks[3];
static const int places[3] = {0, 1, 2};

static void *dine(void *arg)
{
	int left = *(const int *)arg, right = (left + 1) % 3;

	sem_wait(&chairs);
	sem_wait(&forks[left]);
	sem_wait(&forks[right]);
	sem_post(&forks[right]);
	sem_post(&forks[left]);
	sem_post(&chairs);
	return NULL;
}

int main(void)
{
	sem_init(&chairs, 0, FIXED ? 2 : 3);
	for (int i = 0; i < 3; i++)
		sem_init(&forks[i], 0, 1);
	for (int i = 0; i < 3; i++)
		start(dine, (void *)&places[i]);
	join_all();
	return 0;
}
