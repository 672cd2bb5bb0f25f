/* A clock's loop alone calls what sets the time of its last stroke, and what reads it: the lock is for those who ask. */
#include <pthread.h>

struct clock {
	pthread_mutex_t lock;
	long struck, strokes;
};

static void clock_strike(struct clock *clock, long now)
{
	pthread_mutex_lock(&clock->lock);
	clock->struck = now;
	clock->strokes++;
	pthread_mutex_unlock(&clock->lock);
}

static void clock_wait(const struct clock *clock, long *until)
{
	*until = clock->struck + 3600;
}

long clock_last(struct clock *clock)
{
	pthread_mutex_lock(&clock->lock);
	long struck = clock->struck;
	pthread_mutex_unlock(&clock->lock);
	return struck;
}

long clock_run(struct clock *clock, long now)
{
	long until;

	clock_wait(clock, &until);
	if (now >= until)
		clock_strike(clock, now);
	return until;
}
