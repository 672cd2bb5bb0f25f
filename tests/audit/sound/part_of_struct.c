/* Two ends of a pipe are structs in it: which device one is does not change, where it is does, under the lock. */
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
	return pipe->in.device;
}

void pipe_move(struct pipe *pipe, int n)
{
	pthread_mutex_lock(&pipe->lock);
	pipe->in.at += n;
	pipe->out.at += n;
	pthread_mutex_unlock(&pipe->lock);
}

int pipe_left(struct pipe *pipe)
{
	pthread_mutex_lock(&pipe->lock);
	int left = pipe->in.at - pipe->out.at;
	pthread_mutex_unlock(&pipe->lock);
	return left;
}
