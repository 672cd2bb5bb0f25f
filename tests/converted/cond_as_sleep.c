/* A wait for a condition that nobody signals serves as sleep; a semaphore's time-out, too. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t nobody;
static int steps;

static struct timespec in_ms(long ms)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *producer(void *arg)
{
	struct timespec t = in_ms(100);

	sem_timedwait(&nobody, &t);
	pthread_mutex_lock(&lock);
	steps += 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	struct timespec t = in_ms(300);
	pthread_t thread;

	sem_init(&nobody, 0, 0);
	pthread_create(&thread, NULL, producer, NULL);
	pthread_mutex_lock(&lock);
	pthread_cond_timedwait(&never, &lock, &t);
	printf("%d\n", steps);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return steps != 1;
}
