/* A server for gatectl attach: one thread brings requests, two answer them, for some minutes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECONDS 300

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int requests;

static void pause_ms(long ms)
{
	struct timespec t = {.tv_nsec = ms * 1000000L};

	nanosleep(&t, NULL);
}

static void *answer(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (requests == 0)
			pthread_cond_wait(&changed, &lock);
		requests--;
		pthread_mutex_unlock(&lock);
		pause_ms(5);
	}
	return arg;
}

static void *bring(void *arg)
{
	for (time_t end = time(NULL) + SECONDS; time(NULL) < end; pause_ms(20)) {
		pthread_mutex_lock(&lock);
		requests++;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	exit(0);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, i < 2 ? answer : bring, NULL);
	puts("ready");
	fflush(stdout);
	pthread_join(threads[0], NULL);
	return 0;
}
