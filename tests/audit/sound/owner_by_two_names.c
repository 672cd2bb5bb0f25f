/* A queue is of a pool, which its functions get too: the pool's lock is that of queue->pool. */
#include <pthread.h>

struct pool {
	pthread_mutex_t lock;
	int jobs, idle;
};

struct queue {
	struct pool *pool;
	int length;
};

static void wake(struct queue *queue, int locked)
{
	struct pool *pool = queue->pool;

	if (!locked)
		pthread_mutex_lock(&pool->lock);
	if (pool->jobs > pool->idle)
		pool->idle++;
	if (!locked)
		pthread_mutex_unlock(&pool->lock);
}

void queue_add(struct pool *pool, struct queue *queue)
{
	pthread_mutex_lock(&pool->lock);
	pool->jobs++;
	queue->length++;
	wake(queue, 1);
	pthread_mutex_unlock(&pool->lock);
}

void queue_wake(struct queue *queue)
{
	wake(queue, 0);
}

int pool_jobs(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	int jobs = pool->jobs - pool->idle;
	pthread_mutex_unlock(&pool->lock);
	return jobs;
}

void pool_idle(struct pool *pool, int idle)
{
	pthread_mutex_lock(&pool->lock);
	pool->idle = idle;
	if (pool->jobs > idle)
		pool->jobs--;
	pthread_mutex_unlock(&pool->lock);
}

void pool_end(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->idle = 0;
	pool->jobs = 0;
	pthread_mutex_unlock(&pool->lock);
}
