/* The main thread exits while three others are at the trapped line. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long beats;

static void *hammer(void *arg)
{
	for (;;)
		atomic_fetch_add(&beats, 1); /* gate: here */
	return arg;
}

int main(void)
{
	pthread_t t;
	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, hammer, NULL);
	while (atomic_load(&beats) < 300)
		usleep(1000);
	printf("leaving\n");
	exit(3);
}
