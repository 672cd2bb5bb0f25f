/* Each write holds the lock; functions that callers ask for a hint read without it. */
#include <pthread.h>

struct cache {
	pthread_mutex_t lock;
	int entries, misses;
};

void cache_add(struct cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	cache->entries++;
	pthread_mutex_unlock(&cache->lock);
}

void cache_drop(struct cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	cache->entries = 0;
	cache->misses++;
	pthread_mutex_unlock(&cache->lock);
}

void cache_miss(struct cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	if (!cache->entries)
		cache->misses++;
	pthread_mutex_unlock(&cache->lock);
}

int cache_size(struct cache *cache)
{
	return cache->entries;
}

int cache_is_empty(struct cache *cache)
{
	return !cache->entries;
}
