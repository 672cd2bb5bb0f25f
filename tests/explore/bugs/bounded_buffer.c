/* Bounded buffer with `if` for `while`: who wakes up does not look again.
 * A consumer waits, an item comes, another consumer gets the lock first and takes it: the first one takes from nothing. */
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int count;

static void *get(void *arg)
{
	pthread_mutex_lock(&lock);
#if FIXED
	while (count == 0)
#else
	if (count == 0)
#endif
		pthread_cond_wait(&not_empty, &lock);
	check(count > 0, "taken from an empty buffer");
	count--;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void put(void)
{
	pthread_mutex_lock(&lock);
	while (count == 1)
		pthread_cond_wait(&not_full, &lock);
	count++;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	start(get, NULL);
	start(get, NULL);
	put();
	put();
	join_all();
	return 0;
}
