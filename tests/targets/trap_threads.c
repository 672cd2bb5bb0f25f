/* Threads meet gates with all signals blocked while another one takes the program's own SIGTRAP. */
// arrivals: 404
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 100 };
static atomic_int met, seen, kept;

static void on_trap(int sig)
{
	(void)sig;
	atomic_fetch_add(&seen, 1);
}

__attribute__((noinline)) static void place(void)
{
	atomic_fetch_add(&met, 1); /* gate: here */
}

static void *worker(void *arg)
{
	sigset_t now;
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		place();
		pthread_sigmask(SIG_BLOCK, NULL, &now);
		kept += sigismember(&now, SIGTRAP) && sigismember(&now, SIGUSR1);
	}
	return NULL;
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_trap};
	pthread_t t[THREADS];
	sigset_t all, old;
	sigaction(SIGTRAP, &sa, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	for (int i = 0; i < THREADS; i++) {
		place();
		raise(SIGTRAP);
		pthread_join(t[i], NULL);
	}
	raise(SIGTRAP);
	printf("met %d seen %d kept %d\n", met, seen, kept);
	return 0;
}
