/* A bounded channel: waiting on a condition gives the lock back and takes it again, so it is held at each access. */
#include <pthread.h>
#include <stdlib.h>

#define SLOTS 4

struct pipe {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int slots[SLOTS];
	unsigned put;
	unsigned taken;
};

struct pipe *pipe_new(void)
{
	struct pipe *pipe = calloc(1, sizeof(*pipe));
	if (!pipe)
		return NULL;
	pthread_mutex_init(&pipe->lock, NULL);
	pthread_cond_init(&pipe->changed, NULL);
	return pipe;
}

void pipe_put(struct pipe *pipe, int value)
{
	pthread_mutex_lock(&pipe->lock);
	while (pipe->put - pipe->taken == SLOTS)
		pthread_cond_wait(&pipe->changed, &pipe->lock);
	pipe->slots[pipe->put++ % SLOTS] = value;
	pthread_cond_broadcast(&pipe->changed);
	pthread_mutex_unlock(&pipe->lock);
}

int pipe_take(struct pipe *pipe)
{
	pthread_mutex_lock(&pipe->lock);
	while (pipe->put == pipe->taken)
		pthread_cond_wait(&pipe->changed, &pipe->lock);
	int value = pipe->slots[pipe->taken++ % SLOTS];
	pthread_mutex_unlock(&pipe->lock);
	pthread_cond_broadcast(&pipe->changed);
	return value;
}
