/* No sleep here is for ordering: one looks again and again, one takes its time. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int ready;

static void *worker(void *arg)
{
	usleep(60000);
	ready = 1;
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	while (!ready)
		usleep(5000);
	puts("ready");
	pthread_join(thread, NULL);
	return 0;
}
