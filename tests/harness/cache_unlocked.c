/* A cache of one entry: whoever fills it has forgotten the lock. */
#include <pthread.h>

typedef struct {
	pthread_mutex_t lock;
	int key, value;
} cache_t;

int cache_init(cache_t *c)
{
	c->key = c->value = 0;
	return pthread_mutex_init(&c->lock, 0);
}

void cache_destroy(cache_t *c)
{
	pthread_mutex_destroy(&c->lock);
}

void cache_fill(cache_t *c, int key, int value)
{
	c->key = key;
	c->value = value;
}

int cache_lookup(cache_t *c, int *key)
{
	int value;

	pthread_mutex_lock(&c->lock);
	*key = c->key;
	value = c->value;
	pthread_mutex_unlock(&c->lock);
	return value;
}
