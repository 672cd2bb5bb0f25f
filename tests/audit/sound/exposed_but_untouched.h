/* A counter of visits that can be part of other structs, and so has to be known. */
#ifndef EXPOSED_BUT_UNTOUCHED_H
#define EXPOSED_BUT_UNTOUCHED_H

#include <pthread.h>

struct visits {
	pthread_mutex_t lock;
	long number;
};

void visits_init(struct visits *visits);
void visits_add(struct visits *visits);
long visits_number(struct visits *visits);

#endif
