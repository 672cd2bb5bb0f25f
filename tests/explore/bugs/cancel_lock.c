/* A thread is cancelled while it has a lock.
 * The request comes after the lock was taken and before the next cancellation point: nobody lets the lock go. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	pthread_testcancel();
	if (FIXED)
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_mutex_lock(&lock);
	pthread_testcancel();
	pthread_mutex_unlock(&lock);
	if (FIXED)
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	return arg;
}

int main(void)
{
	pthread_t worker = start(work, NULL);

	pthread_cancel(worker);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	join_all();
	return 0;
}
