/* As one_loop_writes.c, and the bell can be rung by hand, too. */
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
	*until = clock->struck + 3600; /* finding: P3 struck */
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

void clock_ring(struct clock *clock, long now)
{
	clock_strike(clock, now);
}
