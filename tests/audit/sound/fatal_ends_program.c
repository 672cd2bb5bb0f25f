/* A pool whose error function ends the program at one level: after it there is no path without the lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum level { LEVEL_NOTE, LEVEL_ERROR, LEVEL_FATAL };

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	int busy;
};

static void say(enum level level, const char *what)
{
	fprintf(stderr, "%s\n", what);
	if (level == LEVEL_FATAL)
		exit(1);
}

static void note(enum level level, const char *what)
{
	say(level, what);
}

void pool_enter(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->busy++;
	pthread_mutex_unlock(&pool->lock);
}

void pool_wait(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->busy) {
		int failed = pthread_cond_wait(&pool->idle, &pool->lock);

		if (failed)
			pthread_mutex_unlock(&pool->lock);
		if (failed)
			note(LEVEL_FATAL, "wait");
	}
	pthread_mutex_unlock(&pool->lock);
}

void pool_leave(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->busy--;
	pthread_cond_signal(&pool->idle);
	pthread_mutex_unlock(&pool->lock);
}
