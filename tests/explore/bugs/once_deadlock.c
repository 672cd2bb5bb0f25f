/* pthread_once under a lock that the initialisation needs, too.
 * One thread has the lock and waits for the initialisation, which another runs and which waits for the lock. */
#define _GNU_SOURCE
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table;

static void fill_table(void)
{
	pthread_mutex_lock(&lock);
	table = 1;
	pthread_mutex_unlock(&lock);
}

static void *with_lock(void *arg)
{
	if (FIXED)
		pthread_once(&once, fill_table);
	pthread_mutex_lock(&lock);
	pthread_once(&once, fill_table);
	check(table, "no table");
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *without_lock(void *arg)
{
	pthread_once(&once, fill_table);
	check(table, "no table");
	return arg;
}

int main(void)
{
	start(with_lock, NULL);
	start(without_lock, NULL);
	join_all();
	return 0;
}
