/* A meter's loop is not the only one that writes when it began to sleep, and reads that without the lock. */
#include <pthread.h>

struct meter {
	pthread_mutex_t lock;
	long since, slept;
};

void meter_turn(struct meter *meter, long now)
{
	if (meter->since == now) /* finding: P3 since */
		return;
	pthread_mutex_lock(&meter->lock);
	meter->slept += now - meter->since;
	meter->since = now;
	pthread_mutex_unlock(&meter->lock);
}

void meter_reset(struct meter *meter, long now)
{
	pthread_mutex_lock(&meter->lock);
	meter->slept = 0;
	meter->since = now;
	pthread_mutex_unlock(&meter->lock);
}

long meter_slept(struct meter *meter, long now)
{
	pthread_mutex_lock(&meter->lock);
	long slept = meter->slept + now - meter->since;
	pthread_mutex_unlock(&meter->lock);
	return slept;
}
