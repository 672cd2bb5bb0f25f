/* A clock is set before its thread is made, and read when that has ended: there is nobody else. */
#include <pthread.h>
#include <stdbool.h>

struct clock {
	pthread_mutex_t lock;
	pthread_t thread;
	long ticks;
	bool stops;
};

static bool clock_tick(struct clock *clock)
{
	pthread_mutex_lock(&clock->lock);
	clock->ticks++;
	bool stops = clock->stops;
	pthread_mutex_unlock(&clock->lock);
	return stops;
}

static void *clock_run(void *arg)
{
	while (!clock_tick(arg))
		;
	return NULL;
}

/* The handle is not the clock's own: by a wrapper. */
static int run(pthread_t *thread, void *(*begin)(void *), void *arg)
{
	return pthread_create(thread, NULL, begin, arg);
}

int clock_start(struct clock *clock, long ticks)
{
	clock->ticks = ticks;
	clock->stops = false;
	return run(&clock->thread, clock_run, clock);
}

long clock_end(struct clock *clock)
{
	pthread_mutex_lock(&clock->lock);
	clock->stops = true;
	pthread_mutex_unlock(&clock->lock);
	pthread_join(clock->thread, NULL);
	return clock->ticks;
}
