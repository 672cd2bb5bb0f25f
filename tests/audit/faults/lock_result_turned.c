/* The result of the lock function is taken for a truth value: where it is 0 the lock is held. */
#include <pthread.h>

struct cache {
	pthread_mutex_t lock;
	int n;
};

static int attempt(struct cache *c)
{
	return pthread_mutex_trylock(&c->lock);
}

int cache_add(struct cache *c, int k)
{
	if (attempt(c) >= 0) {
		c->n += k; /* finding: P3 n */
		return 1;
	}
	return 0;
}

int cache_get(struct cache *c)
{
	int n;

	pthread_mutex_lock(&c->lock);
	n = c->n;
	pthread_mutex_unlock(&c->lock);
	return n;
}

void cache_reset(struct cache *c)
{
	pthread_mutex_lock(&c->lock);
	c->n = 0;
	pthread_mutex_unlock(&c->lock);
}
