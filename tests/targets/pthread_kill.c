/* Signals aimed at one thread of several: only that one may run the handler. */
// arrivals: 20
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int seen, wrong, stop;
static pthread_t aim;

static void on_usr1(int sig)
{
	(void)sig;
	if (!pthread_equal(pthread_self(), aim))
		atomic_fetch_add(&wrong, 1);
	atomic_fetch_add(&seen, 1); /* gate: here */
}

static void *body(void *arg)
{
	while (!atomic_load(&stop))
		usleep(200);
	return arg;
}

int main(void)
{
	pthread_t t[3];
	signal(SIGUSR1, on_usr1);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, body, NULL);
	aim = t[1];
	for (int i = 0; i < 20; i++) {
		pthread_kill(aim, SIGUSR1);
		while (atomic_load(&seen) <= i)
			usleep(100);
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("seen %d wrong %d\n", atomic_load(&seen), atomic_load(&wrong));
	return 0;
}
