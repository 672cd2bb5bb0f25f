/* A gauge that waits by its own means: two calls down, the lock is released and taken again. */
#include <pthread.h>
#include <sched.h>

struct gauge {
	pthread_mutex_t lock;
	int level;
};

static void pause_for(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
	sched_yield();
	pthread_mutex_lock(lock);
}

static void wait_for_level(struct gauge *gauge, int level)
{
	while (gauge->level < level)
		pause_for(&gauge->lock);
}

void gauge_raise(struct gauge *gauge)
{
	pthread_mutex_lock(&gauge->lock);
	gauge->level++;
	pthread_mutex_unlock(&gauge->lock);
}

void gauge_take(struct gauge *gauge, int level)
{
	pthread_mutex_lock(&gauge->lock);
	wait_for_level(gauge, level);
	gauge->level -= level;
	pthread_mutex_unlock(&gauge->lock);
}
