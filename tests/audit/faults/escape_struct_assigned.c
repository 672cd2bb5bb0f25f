/* A thermostat that gives out a snapshot by assigning the whole struct, lock and all. */
#include <pthread.h>
#include <stdlib.h>

struct thermostat {
	pthread_mutex_t lock;
	int wanted;
	int measured;
};

struct thermostat *thermostat_new(int wanted)
{
	struct thermostat *thermostat = calloc(1, sizeof(*thermostat));
	if (!thermostat)
		return NULL;
	pthread_mutex_init(&thermostat->lock, NULL);
	thermostat->wanted = wanted;
	return thermostat;
}

int thermostat_measure(struct thermostat *thermostat, int degrees)
{
	pthread_mutex_lock(&thermostat->lock);
	thermostat->measured = degrees;
	int missing = thermostat->wanted - thermostat->measured;
	pthread_mutex_unlock(&thermostat->lock);
	return missing;
}

void thermostat_snapshot(struct thermostat *thermostat, struct thermostat *out)
{
	pthread_mutex_lock(&thermostat->lock);
	*out = *thermostat; /* finding: P1 thermostat */
	pthread_mutex_unlock(&thermostat->lock);
}
