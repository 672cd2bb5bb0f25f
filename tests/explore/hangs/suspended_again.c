/* Pony's runtime, pull request 5037, "Fix intermittent hang during runtime shutdown":
 * https://github.com/ponylang/ponyc/pull/5037
 *
 * Hangs: a scheduler thread sleeps in sigwait(), wakes, finds that too few threads are active, and sleeps again.
 * When: the thread suspends itself again between the wake-up of the shutdown and its message to terminate; the others
 * exit, and the number of active threads stays too low for it for ever.
 * Written from the description: three schedulers, of which the first one, main, shuts down. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCHEDULERS = 3 };

static pthread_t threads[SCHEDULERS];
static atomic_int active = SCHEDULERS;
static atomic_bool terminate[SCHEDULERS];
static sigset_t wakeup;

static void suspend(int index)
{
	int sig;

	atomic_fetch_sub(&active, 1);
	do
		sigwait(&wakeup, &sig);
	while (active <= index);
}

static void *scheduler(void *arg)
{
	int index = (int)(intptr_t)arg;

	/* No work, and none to steal. */
	while (!terminate[index])
		suspend(index);
	atomic_fetch_sub(&active, 1);
	return NULL;
}

static void wake_all(void)
{
	for (int i = 1; i < SCHEDULERS; i++)
		pthread_kill(threads[i], SIGUSR2);
}

static void shut_down(void)
{
	active = SCHEDULERS;
	wake_all();
	for (int i = 1; i < SCHEDULERS; i++)
		terminate[i] = true;
	wake_all();
	for (int i = 1; i < SCHEDULERS; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	sigemptyset(&wakeup);
	sigaddset(&wakeup, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &wakeup, NULL);
	for (int i = 1; i < SCHEDULERS; i++)
		pthread_create(&threads[i], NULL, scheduler, (void *)(intptr_t)i);
	shut_down();
	return 0;
}
