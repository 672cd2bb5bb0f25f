/* A condition is waited for without a predicate.
 * It is signalled before the other thread waits: a condition remembers nothing, and main waits for ever. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int done;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_signal(&finished);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	start(work, NULL);
	pthread_mutex_lock(&lock);
	if (!FIXED)
		pthread_cond_wait(&finished, &lock);
	while (FIXED && !done)
		pthread_cond_wait(&finished, &lock);
	pthread_mutex_unlock(&lock);
	join_all();
	return 0;
}
