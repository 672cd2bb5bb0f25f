/* A lock is tried when another thread surely has it; select(2) serves as sleep in a function of its own. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void wait_ms(int ms)
{
	struct timeval t = {ms / 1000, ms % 1000 * 1000};

	select(0, NULL, NULL, NULL, &t);
}

static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	wait_ms(400);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t thread;
	int busy, later;

	pthread_create(&thread, NULL, holder, NULL);
	wait_ms(200);
	busy = pthread_mutex_trylock(&lock);
	wait_ms(400);
	later = pthread_mutex_trylock(&lock);
	pthread_join(thread, NULL);
	printf("%s %s\n", busy == EBUSY ? "busy" : "free", later ? "busy" : "free");
	return !(busy == EBUSY && later == 0);
}
