/* One condition for two predicates, and `signal` where `broadcast` is needed.
 * Both wait; the first signal wakes the one it was not meant for, which sleeps again: one of them sleeps for ever. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready[2];

static void *wait_for(void *mine)
{
	pthread_mutex_lock(&lock);
	while (!*(int *)mine)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void tell(int who)
{
	pthread_mutex_lock(&lock);
	ready[who] = 1;
	if (FIXED)
		pthread_cond_broadcast(&changed);
	else
		pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	start(wait_for, &ready[0]);
	start(wait_for, &ready[1]);
	tell(0);
	tell(1);
	join_all();
	return 0;
}
