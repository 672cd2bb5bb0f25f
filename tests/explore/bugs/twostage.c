/* Two stages: the second value follows from the first, each has a lock of its own.
 * The reader comes between: it sees the first value and not yet the second. Of THREADS all but one write;
 * none of them may have finished its second stage. */
#include "bug.h"

#ifndef THREADS
#define THREADS 2
#endif

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int first, second;

static void *write_both(void *arg)
{
	pthread_mutex_lock(&first_lock);
	first = 1;
	if (!FIXED)
		pthread_mutex_unlock(&first_lock);
	pthread_mutex_lock(&second_lock);
	second = first + 1;
	pthread_mutex_unlock(&second_lock);
	if (FIXED)
		pthread_mutex_unlock(&first_lock);
	return arg;
}

static void *read_both(void *arg)
{
	int one, two;

	pthread_mutex_lock(&first_lock);
	one = first;
	if (!FIXED)
		pthread_mutex_unlock(&first_lock);
	pthread_mutex_lock(&second_lock);
	two = second;
	pthread_mutex_unlock(&second_lock);
	if (FIXED)
		pthread_mutex_unlock(&first_lock);
	check(one == 0 || two == one + 1, "the second stage is missing");
	return arg;
}

int main(void)
{
	for (int i = 1; i < THREADS; i++)
		start(write_both, NULL);
	start(read_both, NULL);
	join_all();
	return 0;
}
