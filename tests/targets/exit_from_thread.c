/* exit(3) called by a thread that is not the first, while the main thread waits for it for ever. */
// arrivals: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *leaver(void *arg)
{
	printf("thread exits\n");
	exit(4); /* gate: here */
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, leaver, NULL);
	pthread_join(t, NULL);
	return 99;
}
