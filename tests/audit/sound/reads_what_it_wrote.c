/* A meter's loop alone writes when it began to sleep: it reads that without the lock, which it has for the others. */
#include <pthread.h>

struct meter {
	pthread_mutex_t lock;
	long since, slept;
};

void meter_turn(struct meter *meter, long now)
{
	if (meter->since == now)
		return;
	pthread_mutex_lock(&meter->lock);
	meter->slept += now - meter->since;
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
