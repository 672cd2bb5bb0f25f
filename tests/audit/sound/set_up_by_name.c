/* A pool that the caller allocates: nobody else has it while it is initialised, or any more when it is destroyed. */
#include <pthread.h>
#include <stddef.h>

struct item {
	struct item *next;
};

struct pool {
	pthread_mutex_t lock;
	struct item *free;
	unsigned long given;
};

void pool_init(struct pool *pool)
{
	pool->free = NULL;
	pool->given = 0;
}

void pool_put(struct pool *pool, struct item *item)
{
	pthread_mutex_lock(&pool->lock);
	item->next = pool->free;
	pool->free = item;
	pool->given--;
	pthread_mutex_unlock(&pool->lock);
}

struct item *pool_get(struct pool *pool)
{
	struct item *item;

	pthread_mutex_lock(&pool->lock);
	item = pool->free;
	if (item) {
		pool->free = item->next;
		pool->given++;
	}
	pthread_mutex_unlock(&pool->lock);
	return item;
}

unsigned long poolDestroy(struct pool *pool)
{
	pool->free = NULL;
	return pool->given;
}
