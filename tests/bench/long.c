/* A race after a long run: two threads take a lock N times each, then one reads a flag before the other has set it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static volatile int turns, ready, rounds;

static void *work(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&m);
		turns++;
		pthread_mutex_unlock(&m);
	}
	ready++;
	sem_post(&done);
	return unused;
}

static void *reset(void *unused)
{
	int r = ready;

	sem_wait(&done);
	ready = r;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	rounds = argc > 1 ? atoi(argv[1]) : 10;
	sem_init(&done, 0, 0);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, reset, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return ready != 1;
}
