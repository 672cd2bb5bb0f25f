/* A lock function returns 0 or a positive errno: where the result is anything else the lock is not
   held, however the comparison is written, and also through functions that pass the result on. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

struct cache {
	pthread_mutex_t lock;
	int n;
};

static int acquire(struct cache *c)
{
	int error = pthread_mutex_lock(&c->lock);

	return error ? -error : 0;
}

static bool acquired(struct cache *c)
{
	return acquire(c) >= 0;
}

static int attempt(struct cache *c)
{
	return -pthread_mutex_trylock(&c->lock);
}

static bool attempted(struct cache *c)
{
	return attempt(c) >= 0 ? true : false;
}

int cache_below(struct cache *c, int k)
{
	if (pthread_mutex_lock(&c->lock) < 0)
		return -1;
	c->n += k;
	pthread_mutex_unlock(&c->lock);
	return 0;
}

int cache_not_equal(struct cache *c)
{
	if (!(pthread_mutex_lock(&c->lock) == 0))
		return -1;
	c->n++;
	pthread_mutex_unlock(&c->lock);
	return 0;
}

int cache_asserted(struct cache *c)
{
	assert(!pthread_mutex_lock(&c->lock));
	c->n--;
	assert(pthread_mutex_unlock(&c->lock) == 0);
	return 0;
}

int cache_left_side(struct cache *c)
{
	int error = pthread_mutex_lock(&c->lock);

	if (0 != error)
		return -error;
	c->n = 0;
	pthread_mutex_unlock(&c->lock);
	return 0;
}

int cache_passed_on(struct cache *c)
{
	int n = acquire(c);

	if (n < 0)
		return n;
	n = c->n;
	pthread_mutex_unlock(&c->lock);
	return n;
}

int cache_as_truth(struct cache *c)
{
	if (!acquired(c))
		return -1;
	c->n = 1;
	pthread_mutex_unlock(&c->lock);
	return 0;
}

int cache_attempt(struct cache *c)
{
	if (attempt(c) < 0)
		return -1;
	c->n = 2;
	pthread_mutex_unlock(&c->lock);
	return 0;
}

int cache_attempted(struct cache *c)
{
	bool got = attempted(c);

	if (got != true)
		return -1;
	c->n = 3;
	pthread_mutex_unlock(&c->lock);
	return 0;
}

int cache_busy(struct cache *c)
{
	if (pthread_mutex_trylock(&c->lock) > 0)
		return -EBUSY;
	c->n = 4;
	pthread_mutex_unlock(&c->lock);
	return 0;
}
