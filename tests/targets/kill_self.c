/* SIGKILL to itself: no stop, no exit event, the threads are just gone. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
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
	pthread_create(&t, NULL, hammer, NULL);
	while (atomic_load(&beats) < 100)
		usleep(500);
	printf("bye\n");
	fflush(stdout);
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}
