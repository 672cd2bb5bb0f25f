/* Reorder: of THREADS all but one store a, then b; the checker wants both or none.
 * It comes when one setter has stored a and none has stored b: the more setters, the more must be late. */
#include "bug.h"

#ifndef THREADS
#define THREADS 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int a, b;

static void *set(void *arg)
{
	if (FIXED)
		pthread_mutex_lock(&lock);
	a = 1;
	b = -1;
	if (FIXED)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void *look(void *arg)
{
	int seen_a, seen_b;

	if (FIXED)
		pthread_mutex_lock(&lock);
	seen_a = a;
	seen_b = b;
	if (FIXED)
		pthread_mutex_unlock(&lock);
	check(seen_a == 0 || seen_b == -1, "a without b");
	return arg;
}

int main(void)
{
	for (int i = 1; i < THREADS; i++)
		start(set, NULL);
	start(look, NULL);
	join_all();
	return 0;
}
