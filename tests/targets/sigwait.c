/* A thread that takes signals by sigwait: they are never delivered, only fetched. */
// arrivals: 20
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static sigset_t set;
static volatile int got[2];
static pthread_barrier_t turn;

static void *taker(void *arg)
{
	for (int i = 0; i < 20; i++) {
		int sig = 0;
		sigwait(&set, &sig);
		got[sig == SIGUSR2]++; /* gate: here */
		pthread_barrier_wait(&turn);
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_init(&turn, NULL, 2);
	pthread_create(&t, NULL, taker, NULL);
	for (int i = 0; i < 20; i++) {
		pthread_kill(t, i % 4 ? SIGUSR1 : SIGUSR2);
		pthread_barrier_wait(&turn);
	}
	pthread_join(t, NULL);
	printf("usr1 %d usr2 %d\n", got[0], got[1]);
	return 0;
}
