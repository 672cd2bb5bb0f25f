/* A cache under an rwlock whose lookups count under the read side, but in an atomic, for which that is enough. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct lookup_cache {
	pthread_rwlock_t lock;
	int values[32];
	atomic_long hits;
};

struct lookup_cache *lookup_cache_new(void)
{
	struct lookup_cache *cache = calloc(1, sizeof(*cache));
	if (!cache)
		return NULL;
	pthread_rwlock_init(&cache->lock, NULL);
	return cache;
}

int lookup_cache_get(struct lookup_cache *cache, unsigned key)
{
	pthread_rwlock_rdlock(&cache->lock);
	int value = cache->values[key % 32];
	atomic_fetch_add(&cache->hits, 1);
	pthread_rwlock_unlock(&cache->lock);
	return value;
}

void lookup_cache_put(struct lookup_cache *cache, unsigned key, int value)
{
	pthread_rwlock_wrlock(&cache->lock);
	cache->values[key % 32] = value;
	pthread_rwlock_unlock(&cache->lock);
}

long lookup_cache_hits(struct lookup_cache *cache)
{
	return atomic_load(&cache->hits);
}
