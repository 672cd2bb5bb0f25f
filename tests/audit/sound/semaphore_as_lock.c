/* A semaphore that begins with 1 is a lock; one that begins with 0 is a signal. */
#include <semaphore.h>
#include <stdlib.h>

struct pool {
	sem_t gate, filled;
	int free_slots;
};

struct pool *pool_new(int slots)
{
	struct pool *pool = malloc(sizeof(*pool));

	if (!pool)
		return NULL;
	sem_init(&pool->gate, 0, 1);
	sem_init(&pool->filled, 0, 0);
	pool->free_slots = slots;
	return pool;
}

void pool_take(struct pool *pool)
{
	sem_wait(&pool->gate);
	pool->free_slots--;
	sem_post(&pool->gate);
	sem_post(&pool->filled);
}

void pool_give(struct pool *pool)
{
	sem_wait(&pool->filled);
	sem_wait(&pool->gate);
	pool->free_slots++;
	sem_post(&pool->gate);
}

int pool_is_empty(struct pool *pool)
{
	int is_empty;

	sem_wait(&pool->gate);
	is_empty = pool->free_slots == 0;
	sem_post(&pool->gate);
	return is_empty;
}
