/* Two threads need two permits each, there are two, and they are taken one by one.
 * Each has one: both wait for ever. */
#include <semaphore.h>
#include "bug.h"

static sem_t permits;
static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;

static void *use_two(void *arg)
{
	if (FIXED)
		pthread_mutex_lock(&counter);
	sem_wait(&permits);
	sem_wait(&permits);
	if (FIXED)
		pthread_mutex_unlock(&counter);
	sem_post(&permits);
	sem_post(&permits);
	return arg;
}

int main(void)
{
	sem_init(&permits, 0, 2);
	start(use_two, NULL);
	start(use_two, NULL);
	join_all();
	return 0;
}
