/* ABBA deadlock: two locks, taken in opposite orders.
 * Each thread has its first lock before either asks for its second. */
#include "bug.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int work;

static void *forth(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	work++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *back(void *arg)
{
	pthread_mutex_lock(FIXED ? &a : &b);
	pthread_mutex_lock(FIXED ? &b : &a);
	work++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int main(void)
{
	start(forth, NULL);
	start(back, NULL);
	join_all();
	check(work == 2, "work was lost");
	return 0;
}
