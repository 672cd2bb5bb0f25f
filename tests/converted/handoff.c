/* A worker fills in a value; main sleeps until that must have happened. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int value;

static void *worker(void *arg)
{
	usleep(50000);
	value = 42;
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	usleep(150000);
	printf("%d\n", value);
	pthread_join(thread, NULL);
	return value == 42 ? 0 : 1;
}
