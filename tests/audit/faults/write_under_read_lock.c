/* A name cache under an rwlock: a lookup holds the read side, which others hold too, and counts its hit there. */
#include <pthread.h>
#include <stdlib.h>

struct name_cache {
	pthread_rwlock_t lock;
	int ids[16];
	long hits;
};

struct name_cache *name_cache_new(void)
{
	struct name_cache *cache = calloc(1, sizeof(*cache));
	if (!cache)
		return NULL;
	pthread_rwlock_init(&cache->lock, NULL);
	return cache;
}

void name_cache_set(struct name_cache *cache, unsigned slot, int id)
{
	pthread_rwlock_wrlock(&cache->lock);
	cache->ids[slot % 16] = id;
	cache->hits = 0;
	pthread_rwlock_unlock(&cache->lock);
}

int name_cache_get(struct name_cache *cache, unsigned slot)
{
	pthread_rwlock_rdlock(&cache->lock);
	int id = cache->ids[slot % 16];
	cache->hits++; /* finding: P3 hits */
	pthread_rwlock_unlock(&cache->lock);
	return id;
}

long name_cache_hits(struct name_cache *cache)
{
	pthread_rwlock_rdlock(&cache->lock);
	long hits = cache->hits;
	pthread_rwlock_unlock(&cache->lock);
	return hits;
}

#ifdef DRIVER
static void *reader(void *cache)
{
	name_cache_get(cache, 1);
	name_cache_get(cache, 2);
	return NULL;
}

int main(void)
{
	struct name_cache *cache = name_cache_new();
	pthread_t one, two;
	name_cache_set(cache, 1, 11);
	pthread_create(&one, NULL, reader, cache);
	pthread_create(&two, NULL, reader, cache);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return name_cache_hits(cache) != 4;
}
#endif
