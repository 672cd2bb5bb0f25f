/* The struct of a battery, for all to see. */
#ifndef ESCAPE_EXPOSED_HEADER_H
#define ESCAPE_EXPOSED_HEADER_H

#include <pthread.h>

struct battery {
	pthread_mutex_t lock;
	int charge;
};

struct battery *battery_new(void);
void battery_charge(struct battery *battery, int amount);
int battery_left(struct battery *battery);

#endif
