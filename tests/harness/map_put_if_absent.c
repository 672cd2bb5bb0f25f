/* A map under a lock, but put_if_absent looks and puts under two of them. */
#include <pthread.h>
#include <stdlib.h>

enum { KEYS = 4 };

struct map {
	pthread_mutex_t lock;
	int value[KEYS], there[KEYS];
};

struct map *map_new(void)
{
	struct map *m = calloc(1, sizeof(*m));

	pthread_mutex_init(&m->lock, NULL);
	return m;
}

void map_free(struct map *m)
{
	pthread_mutex_destroy(&m->lock);
	free(m);
}

void map_put(struct map *m, int key, int value)
{
	pthread_mutex_lock(&m->lock);
	m->value[key % KEYS] = value;
	m->there[key % KEYS] = 1;
	pthread_mutex_unlock(&m->lock);
}

int map_get(struct map *m, int key)
{
	int value;

	pthread_mutex_lock(&m->lock);
	value = m->there[key % KEYS] ? m->value[key % KEYS] : -1;
	pthread_mutex_unlock(&m->lock);
	return value;
}

int map_put_if_absent(struct map *m, int key, int value)
{
	if (map_get(m, key) >= 0)
		return 0;
	map_put(m, key, value);
	return 1;
}
