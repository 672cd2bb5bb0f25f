/* Signals to the process while four threads are in the trapped line: any of them may take it. */
// arrivals: 4000
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int seen;

static void on_usr1(int sig)
{
	(void)sig;
	atomic_fetch_add(&seen, 1);
}

static void *hammer(void *arg)
{
	volatile long *n = arg;
	for (int i = 0; i < 1000; i++)
		*n += i; /* gate: here */
	return NULL;
}

int main(void)
{
	static long sums[4];
	pthread_t t[4];
	struct sigaction sa = {.sa_handler = on_usr1, .sa_flags = SA_RESTART};
	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, hammer, &sums[i]);
	for (int i = 0; i < 100; i++) {
		kill(getpid(), SIGUSR1);
		while (atomic_load(&seen) <= i)
			usleep(50);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld %ld %ld seen %d\n", sums[0], sums[1], sums[2], sums[3], atomic_load(&seen));
	return 0;
}
