/* An event is set, and reset before its waiter has woken: the waiter looks, sees nothing, sleeps on.
 * The setter gets the lock a second time before the woken waiter does. The twin counts what happened. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waits, is_set, times;

static void *wait_for_event(void *arg)
{
	pthread_mutex_lock(&lock);
	waits = 1;
	pthread_cond_broadcast(&changed);
	while (FIXED ? times == 0 : !is_set)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *pulse(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!waits)
		pthread_cond_wait(&changed, &lock);
	is_set = 1;
	times++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	give_time();
	pthread_mutex_lock(&lock);
	is_set = 0;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	start(wait_for_event, NULL);
	start(pulse, NULL);
	join_all();
	return 0;
}
