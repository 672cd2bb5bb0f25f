/* A pool is shut down by one signal for two workers.
 * Both wait already: one of them is not woken. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_or_stop = PTHREAD_COND_INITIALIZER;
static int stop;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!stop)
		pthread_cond_wait(&work_or_stop, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	start(work, NULL);
	start(work, NULL);
	pthread_mutex_lock(&lock);
	stop = 1;
	if (FIXED)
		pthread_cond_broadcast(&work_or_stop);
	else
		pthread_cond_signal(&work_or_stop);
	pthread_mutex_unlock(&lock);
	join_all();
	return 0;
}
