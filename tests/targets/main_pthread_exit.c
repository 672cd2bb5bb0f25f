/* main leaves by pthread_exit, the last of the other threads ends the process with status 0. */
// arrivals: 300
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int sum;

static void *worker(void *arg)
{
	for (int i = 0; i < 100; i++)
		atomic_fetch_add(&sum, 1); /* gate: here */
	return arg;
}

static void at_end(void)
{
	printf("sum %d\n", atomic_load(&sum));
}

int main(void)
{
	atexit(at_end);
	for (int i = 0; i < 3; i++) {
		pthread_t t;
		pthread_create(&t, NULL, worker, NULL);
	}
	pthread_exit(NULL);
}
