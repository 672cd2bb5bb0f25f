#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int made = 1;
static int seen;

static void *maker(void *arg)
{
	pthread_mutex_lock(&m);
	made = 0;
	usleep(20000); /* so long that a reader without the lock would see 0 */
	made = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *reader(void *arg)
{
#ifndef BUG
	pthread_mutex_lock(&m);
#endif
	usleep(5000); /* the maker shall have begun */
	seen = made;
#ifndef BUG
	pthread_mutex_unlock(&m);
#endif
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, maker, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts(seen ? "whole" : "half");
	return !seen;
}
