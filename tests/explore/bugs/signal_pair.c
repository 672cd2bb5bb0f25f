/* A signal handler reads two fields that belong together while its thread is between writing them.
 * The signal is sent after `low` was written and before `high` was. The twin blocks it meanwhile. */
#include <signal.h>
#include "bug.h"

static volatile sig_atomic_t low, high;

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

	sigaction(SIGUSR1, &action, NULL);
	worker = start(work, NULL);
	pthread_kill(worker, SIGUSR1);
	join_all();
	return 0;
}
