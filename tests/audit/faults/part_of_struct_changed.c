/* As part_of_struct.c, and the device is changed, too. */
#include <pthread.h>

struct end {
	int device, at;
};

struct pipe {
	pthread_mutex_t lock;
	struct end in, out;
};

int pipe_device(const struct pipe *pipe)
{
	return pipe->in.device; /* finding: P3 in */
}

void pipe_move(struct pipe *pipe, int n)
{
	pthread_mutex_lock(&pipe->lock);
	pipe->in.at += n;
	pipe->out.at += n;
	pthread_mutex_unlock(&pipe->lock);
}

void pipe_turn(struct pipe *pipe, int device)
{
	pthread_mutex_lock(&pipe->lock);
	pipe->in.device = device;
	pthread_mutex_unlock(&pipe->lock);
}

int pipe_left(struct pipe *pipe)
{
	pthread_mutex_lock(&pipe->lock);
	int left = pipe->in.at - pipe->out.at;
	pthread_mutex_unlock(&pipe->lock);
	return left;
}
