/* A hash map with a lock for each bin, and a counter that is updated after the bin, as in
   java.util.concurrent.ConcurrentHashMap. Keys are their own bins. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef START
#define START 0 /* a key that each map has at the beginning; 0: none */
#endif

enum { BINS = 4 };

struct map {
	struct bin {
		pthread_mutex_t lock;
		int value; /* 0: none */
	} bins[BINS];
	int count;
};

struct map *map_new(void)
{
	struct map *m = calloc(1, sizeof(*m));

	for (int i = 0; i < BINS; i++)
		pthread_mutex_init(&m->bins[i].lock, NULL);
	if (START)
		m->bins[START].value = START, m->count = 1;
	return m;
}

void map_free(struct map *m)
{
	free(m);
}

static int exchange(struct map *m, unsigned key, int value)
{
	struct bin *b = &m->bins[key % BINS];
	int old;

	pthread_mutex_lock(&b->lock);
	old = b->value;
	__atomic_store_n(&b->value, value, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&b->lock);
	if (!old != !value)
		__atomic_add_fetch(&m->count, value ? 1 : -1, __ATOMIC_SEQ_CST);
	return old;
}

int map_put(struct map *m, unsigned key)
{
	return exchange(m, key, 1 + (int)(key % BINS));
}

int map_remove(struct map *m, unsigned key)
{
	return exchange(m, key, 0);
}

int map_get(struct map *m, unsigned key)
{
	return __atomic_load_n(&m->bins[key % BINS].value, __ATOMIC_SEQ_CST);
}
