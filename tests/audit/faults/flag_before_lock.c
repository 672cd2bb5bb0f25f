/* A pump is paused before the lock is taken, though all others set and test it with the lock. */
#include <pthread.h>
#include <stdbool.h>

struct pump {
	pthread_mutex_t lock;
	pthread_cond_t woken;
	bool pause;
	long pumped;
};

void pump_pause(struct pump *pump)
{
	pump->pause = true; /* finding: P3 pause */
	pthread_mutex_lock(&pump->lock);
	pthread_cond_broadcast(&pump->woken);
	pthread_mutex_unlock(&pump->lock);
}

void pump_resume(struct pump *pump)
{
	pthread_mutex_lock(&pump->lock);
	pump->pause = false;
	pthread_cond_broadcast(&pump->woken);
	pthread_mutex_unlock(&pump->lock);
}

void pump_step(struct pump *pump)
{
	pthread_mutex_lock(&pump->lock);
	while (pump->pause)
		pthread_cond_wait(&pump->woken, &pump->lock);
	pump->pumped++;
	pthread_mutex_unlock(&pump->lock);
}
