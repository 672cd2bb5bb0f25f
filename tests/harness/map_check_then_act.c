/* Five operations of a map under one lock; put_absent looks and puts under it one after the other. */
#include <pthread.h>
#include <stdlib.h>

enum { KEYS = 4 };

struct map {
	pthread_mutex_t lock;
	int value[KEYS]; /* 0: none */
};

struct map *map_new(void)
{
	struct map *m = calloc(1, sizeof(*m));

	pthread_mutex_init(&m->lock, NULL);
	return m;
}

void map_free(struct map *m)
{
	free(m);
}

static int exchange(struct map *m, int key, int value)
{
	int old;

	pthread_mutex_lock(&m->lock);
	old = m->value[key % KEYS];
	m->value[key % KEYS] = value;
	pthread_mutex_unlock(&m->lock);
	return old;
}

int map_put(struct map *m, int key, int value)
{
	return exchange(m, key, value + 1);
}

int map_remove(struct map *m, int key)
{
	return exchange(m, key, 0);
}

int map_get(struct map *m, int key)
{
	int value;

	pthread_mutex_lock(&m->lock);
	value = m->value[key % KEYS];
	pthread_mutex_unlock(&m->lock);
	return value;
}

int map_count(struct map *m)
{
	int count = 0;

	pthread_mutex_lock(&m->lock);
	for (int i = 0; i < KEYS; i++)
		count += m->value[i] != 0;
	pthread_mutex_unlock(&m->lock);
	return count;
}

int map_put_absent(struct map *m, int key, int value)
{
	int old = map_get(m, key);

	if (!old)
		map_put(m, key, value);
	return old;
}
