/* A timer that is published before its period is set: a reader may see a period of zero. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct timer {
	pthread_mutex_t lock;
	int fired;
	int period;
};

static _Atomic(struct timer *) current;

int timer_start(int period)
{
	struct timer *timer = calloc(1, sizeof(*timer));
	if (!timer)
		return -1;
	pthread_mutex_init(&timer->lock, NULL);
	atomic_store(&current, timer);
	timer->period = period; /* finding: P2 period */
	return 0;
}

int timer_period(void)
{
	struct timer *timer = atomic_load(&current);
	return timer ? timer->period : -1;
}

int timer_fire(void)
{
	struct timer *timer = atomic_load(&current);
	if (!timer)
		return 0;
	pthread_mutex_lock(&timer->lock);
	int fired = ++timer->fired;
	pthread_mutex_unlock(&timer->lock);
	return fired;
}

#ifdef DRIVER
static void *start(void *unused)
{
	timer_start(50);
	timer_fire();
	return unused;
}

static void *look(void *broken)
{
	for (int i = 0; i < 3; i++)
		if (timer_period() == 0)
			*(int *)broken = 1;
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	int broken = 0;
	pthread_create(&one, NULL, start, NULL);
	pthread_create(&two, NULL, look, &broken);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return broken;
}
#endif
