/* Timers of a loop, which one thread has to itself but for its queue: that a timer points to its loop shares nothing. */
#include <pthread.h>

struct loop {
	pthread_mutex_t lock;
	int queued;
	int timers;
};

struct timer {
	struct loop *loop;
	int delay;
};

void loop_queue(struct loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	loop->queued++;
	pthread_mutex_unlock(&loop->lock);
}

void timer_init(struct loop *loop, struct timer *timer)
{
	timer->loop = loop;
	timer->delay = 0;
	loop->timers++;
}

void timer_end(struct timer *timer)
{
	timer->loop->timers--;
}
