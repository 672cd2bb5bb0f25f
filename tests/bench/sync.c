/*
 * sync THREADS OPERATIONS KIND: so many threads beside main share so many operations; KIND is `lock` (pthread's lock and
 * unlock are an operation each), `atomic` (an increment), or `race` (as `lock`, and then a counter that no lock protects).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 1024 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter, threads, operations;
static volatile long raced;
static atomic_long number;
static char kind;

/* Of `all` the part of the thread; the first ones have one more where it does not come out even. */
static long part(long all, long thread)
{
	return all / threads + (thread < all % threads);
}

static void *work(void *arg)
{
	long count = part(kind == 'a' ? operations : operations / 2, (long)arg);

	for (long i = 0; i < count; i++) {
		if (kind == 'a') {
			atomic_fetch_add(&number, 1);
			continue;
		}
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
		if (kind == 'r')
			raced++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t all[THREADS];

	if (argc != 4 || (threads = atol(argv[1])) < 1 || threads > THREADS)
		return 2;
	operations = atol(argv[2]);
	kind = argv[3][0];
	for (long i = 0; i < threads; i++)
		if (pthread_create(&all[i], NULL, work, (void *)i))
			return 3;
	for (long i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	return 0;
}
