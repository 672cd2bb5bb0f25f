/* A counter of visits: its struct is in the header, but its fields are touched by these functions only. */
#include "exposed_but_untouched.h"

void visits_init(struct visits *visits)
{
	pthread_mutex_init(&visits->lock, NULL);
	visits->number = 0;
}

void visits_add(struct visits *visits)
{
	pthread_mutex_lock(&visits->lock);
	visits->number++;
	pthread_mutex_unlock(&visits->lock);
}

long visits_number(struct visits *visits)
{
	pthread_mutex_lock(&visits->lock);
	long number = visits->number;
	pthread_mutex_unlock(&visits->lock);
	return number;
}
