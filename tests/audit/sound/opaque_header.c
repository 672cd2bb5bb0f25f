/* A thermometer: the struct is opaque, so nobody else can touch its fields, and this file does so under the lock. */
#include <pthread.h>
#include <stdlib.h>
#include "opaque_header.h"

struct thermometer {
	pthread_mutex_t lock;
	int highest;
};

struct thermometer *thermometer_new(void)
{
	struct thermometer *thermometer = malloc(sizeof(*thermometer));
	if (!thermometer)
		return NULL;
	pthread_mutex_init(&thermometer->lock, NULL);
	thermometer->highest = -273;
	return thermometer;
}

void thermometer_read(struct thermometer *thermometer, int degrees)
{
	pthread_mutex_lock(&thermometer->lock);
	if (degrees > thermometer->highest)
		thermometer->highest = degrees;
	pthread_mutex_unlock(&thermometer->lock);
}

int thermometer_highest(struct thermometer *thermometer)
{
	pthread_mutex_lock(&thermometer->lock);
	int highest = thermometer->highest;
	pthread_mutex_unlock(&thermometer->lock);
	return highest;
}
