/* A sleep orders two threads; a third one polls, and its last sleep is in vain. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ready, over;

static void *maker(void *arg)
{
	__atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void *poller(void *arg)
{
	while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST))
		usleep(900000);
	return arg;
}

int main(void)
{
	pthread_t made, polls;
	int seen;

	pthread_create(&polls, NULL, poller, NULL);
	pthread_create(&made, NULL, maker, NULL);
	usleep(200000); /* ready by then */
	seen = __atomic_load_n(&ready, __ATOMIC_SEQ_CST);
	printf("ready %d\n", seen);
	__atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
	pthread_join(made, NULL);
	pthread_join(polls, NULL);
	return !seen;
}
