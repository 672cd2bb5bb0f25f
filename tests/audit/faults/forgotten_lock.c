/* A connection pool whose give-back forgets the lock: two threads that give back at once lose one. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct pool {
	pthread_mutex_t lock;
	int used;
	int size;
};

struct pool *pool_new(int size)
{
	struct pool *pool = calloc(1, sizeof(*pool));
	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pool->size = size;
	return pool;
}

bool pool_take(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	bool taken = pool->used < pool->size;
	if (taken)
		pool->used++;
	pthread_mutex_unlock(&pool->lock);
	return taken;
}

void pool_give(struct pool *pool)
{
	pool->used--; /* finding: P3 used */
}

int pool_in_use(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	int used = pool->used;
	pthread_mutex_unlock(&pool->lock);
	return used;
}

#ifdef DRIVER
static void *client(void *pool)
{
	for (int i = 0; i < 2; i++)
		if (pool_take(pool))
			pool_give(pool);
	return NULL;
}

int main(void)
{
	struct pool *pool = pool_new(4);
	pthread_t one, two;
	pthread_create(&one, NULL, client, pool);
	pthread_create(&two, NULL, client, pool);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return pool_in_use(pool) != 0;
}
#endif
