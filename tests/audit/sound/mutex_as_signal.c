/* A mutex that serves as a binary semaphore: the worker, which never ends, locks it twice, and its master unlocks it. */
#include <pthread.h>

static pthread_mutex_t go = PTHREAD_MUTEX_INITIALIZER, done = PTHREAD_MUTEX_INITIALIZER;
static long work;

static void *worker(void *argument)
{
	(void)argument;
	for (;;) {
		pthread_mutex_lock(&go);
		work++;
		pthread_mutex_unlock(&done);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&go);
	pthread_mutex_lock(&done);
	pthread_create(&thread, NULL, worker, NULL);
	for (;;) {
		work = 0;
		pthread_mutex_unlock(&go);
		pthread_mutex_lock(&done);
	}
}
