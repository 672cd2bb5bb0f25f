/* A signal handler takes a lock that its own thread may have.
 * The signal comes while the thread is inside: it waits for itself. The twin blocks the signal meanwhile. */
#include <signal.h>
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int reports;

static void count_one(int number)
{
	(void)number;
	pthread_mutex_lock(&lock);
	reports = reports + 1;
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	if (FIXED)
		pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	count_one(0);
	if (FIXED)
		pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
	return arg;
}

int main(void)
{
	struct sigaction action = {.sa_handler = count_one};
	pthread_t worker;

	sigaction(SIGUSR1, &action, NULL);
	worker = start(work, NULL);
	pthread_kill(worker, SIGUSR1);
	join_all();
	return 0;
}
