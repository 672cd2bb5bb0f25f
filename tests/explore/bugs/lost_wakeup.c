/* Lost wake-up: the flag is looked at before the lock is taken.
 * It is set and signalled after the look and before the wait: nobody wakes the waiter any more. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Atomic int ready;

static void *consume(void *arg)
{
#if FIXED
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
#else
	while (!ready) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	}
#endif
	return arg;
}

static void *produce(void *arg)
{
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	start(consume, NULL);
	start(produce, NULL);
	join_all();
	return 0;
}
