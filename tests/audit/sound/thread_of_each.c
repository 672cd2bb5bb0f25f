/* A pump that has a thread of its own: that one alone changes its state, under the lock, and looks at it without. */
#include <pthread.h>
#include <stdbool.h>

struct pump {
	pthread_mutex_t lock;
	pthread_t thread;
	int state;
	bool stops;
};

static void pump_set(struct pump *pump, int state)
{
	pthread_mutex_lock(&pump->lock);
	pump->state = state;
	pthread_mutex_unlock(&pump->lock);
}

static bool pump_stops(struct pump *pump)
{
	pthread_mutex_lock(&pump->lock);
	bool stops = pump->stops;
	pthread_mutex_unlock(&pump->lock);
	return stops;
}

static void *pump_run(void *arg)
{
	struct pump *pump = arg;
	while (!pump_stops(pump))
		pump_set(pump, pump->state ? pump->state - 1 : 9);
	return NULL;
}

int pump_start(struct pump *pump)
{
	return pthread_create(&pump->thread, NULL, pump_run, pump);
}

int pump_state(struct pump *pump)
{
	pthread_mutex_lock(&pump->lock);
	int state = pump->state;
	pthread_mutex_unlock(&pump->lock);
	return state;
}

void pump_stop(struct pump *pump)
{
	pthread_mutex_lock(&pump->lock);
	pump->stops = true;
	pthread_mutex_unlock(&pump->lock);
	pthread_join(pump->thread, NULL);
}
