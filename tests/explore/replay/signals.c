/* Signals between threads, one with a handler and one that is waited for; a thread that is cancelled. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static int cleaned;

static void on_signal(int s)
{
	handled += s == SIGUSR1;
}

static void *waits(void *p)
{
	sigset_t set;
	int s;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigwait(&set, &s);
	printf("SIG%s came\n", sigabbrev_np(s));
	return p;
}

static void clean(void *p)
{
	(*(int *)p)++;
}

static void *sleeps(void *p)
{
	pthread_cleanup_push(clean, &cleaned);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return p;
}

int main(void)
{
	pthread_t t, u;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, 0);
	signal(SIGUSR1, on_signal);
	pthread_create(&t, 0, waits, 0);
	pthread_create(&u, 0, sleeps, 0);
	pthread_kill(u, SIGUSR1);
	pthread_kill(t, SIGUSR2);
	pthread_cancel(u);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 7 + handled + cleaned;
}
