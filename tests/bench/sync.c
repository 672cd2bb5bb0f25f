/*
 * sync THREADS OPERATIONS KIND [ACCESSES]: so many threads beside main share so many operations; KIND is `lock` (pthread's lock and
 * unlock are an operation each), `atomic` (an increment), or `race` (as `lock`, and then a counter that no lock protects).
 * `own`: as `lock`, and the threads share so many accesses to memory, each to words of its own; `shared`: to one word.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 1024 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter, threads, operations, accesses;
static volatile long raced, words[THREADS + 1][8]; /* the last one is for all */
static atomic_long number;
static char kind;

/* Of `all` the part of the thread; the first ones have one more where it does not come out even. */
static long part(long all, long thread)
{
	return all / threads + (thread < all % threads);
}

static void *work(void *arg)
{
	long thread = (long)arg, count = part(kind == 'a' ? operations : operations / 2, thread);
	long each = count ? part(accesses, thread) / count : 0;
	volatile long *word = words[kind == 's' ? threads : thread];

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
		for (long k = 0; k < each; k++)
			word[kind == 's' ? 0 : k & 7] = k;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t all[THREADS];

	if (argc < 4 || (threads = atol(argv[1])) < 1 || threads > THREADS)
		return 2;
	operations = atol(argv[2]);
	kind = argv[3][0];
	accesses = argc > 4 ? atol(argv[4]) : 0;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&all[i], NULL, work, (void *)i))
			return 3;
	for (long i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	return 0;
}
