/* A bit of a parameter says whether the lock is taken: who holds it already does not pass the bit. */
#include <pthread.h>

enum { TAKE_LOCK = 1, TO_GARBAGE = 2 };

struct cache {
	pthread_mutex_t lock;
	int regions, garbage;
};

static void region_put(struct cache *cache, unsigned flags)
{
	if (flags & TO_GARBAGE) {
		cache->garbage++;
		return;
	}
	if (flags & TAKE_LOCK)
		pthread_mutex_lock(&cache->lock);
	cache->regions--;
	if (flags & TAKE_LOCK)
		pthread_mutex_unlock(&cache->lock);
}

static void region_invalidate(struct cache *cache, unsigned flags)
{
	region_put(cache, flags);
}

void cache_evict(struct cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	region_invalidate(cache, 0);
	pthread_mutex_unlock(&cache->lock);
}

void cache_unmap(struct cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	region_invalidate(cache, TO_GARBAGE);
	pthread_mutex_unlock(&cache->lock);
}

void cache_put(struct cache *cache)
{
	region_put(cache, TAKE_LOCK);
}

int cache_count(struct cache *cache)
{
	int count;

	pthread_mutex_lock(&cache->lock);
	count = cache->regions + cache->garbage;
	pthread_mutex_unlock(&cache->lock);
	return count;
}
