/* A signal handler reads two fields that belong together while its thread is between writing them.
 * The signal is sent when the thread has told its progress and not yet written `high`. The twin blocks it meanwhile. */
#include <semaphore.h>
#include <signal.h>
#include "bug.h"

static volatile sig_atomic_t low, high;
static sem_t progress;

static void report(int number)
{
	(void)number;
	if (low != high)
		_exit(1);
}

static void *work(void *arg)
{
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	for (int i = 1; i < 3; i++) {
		if (FIXED)
			pthread_sigmask(SIG_BLOCK, &usr1, NULL);
		low = i;
		sem_post(&progress);
		high = i;
		if (FIXED)
			pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
	}
	return arg;
}

int main(void)
{
	struct sigaction action = {.sa_handler = report};
	pthread_t worker;

	sem_init(&progress, 0, 0);
	sigaction(SIGUSR1, &action, NULL);
	worker = start(work, NULL);
	sem_wait(&progress);
	pthread_kill(worker, SIGUSR1);
	join_all();
	return 0;
}
