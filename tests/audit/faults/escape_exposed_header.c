/* A battery whose struct is in the header: this file keeps to its lock, but its user reads the charge by itself. */
#include <stdlib.h>
#include "escape_exposed_header.h"

struct battery *battery_new(void)
{
	struct battery *battery = calloc(1, sizeof(*battery));
	if (!battery)
		return NULL;
	pthread_mutex_init(&battery->lock, NULL);
	return battery;
}

void battery_charge(struct battery *battery, int amount)
{
	pthread_mutex_lock(&battery->lock);
	battery->charge += amount;
	pthread_mutex_unlock(&battery->lock);
}

int battery_left(struct battery *battery)
{
	pthread_mutex_lock(&battery->lock);
	int left = battery->charge;
	pthread_mutex_unlock(&battery->lock);
	return left;
}
