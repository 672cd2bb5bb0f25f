/* A pump that several threads work at: each looks at its state without the lock under which the others change it. */
#include <pthread.h>

#define WORKERS 4

struct pump {
	pthread_mutex_t lock;
	int state;
};

static void pump_set(struct pump *pump, int state)
{
	pthread_mutex_lock(&pump->lock);
	pump->state = state;
	pthread_mutex_unlock(&pump->lock);
}

static void *pump_run(void *arg)
{
	struct pump *pump = arg;
	for (int i = 0; i < 9; i++)
		pump_set(pump, pump->state + 1); /* finding: P3 state */
	return NULL;
}

void pump_start(struct pump *pump, pthread_t threads[WORKERS])
{
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, pump_run, pump);
}

int pump_state(struct pump *pump)
{
	pthread_mutex_lock(&pump->lock);
	int state = pump->state;
	pthread_mutex_unlock(&pump->lock);
	return state;
}
