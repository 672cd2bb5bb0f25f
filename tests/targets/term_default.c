/* Killed by its own SIGTERM, default action, with another thread at work. */
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
	printf("killing myself\n");
	fflush(stdout);
	kill(getpid(), SIGTERM);
	for (;;)
		pause();
}
