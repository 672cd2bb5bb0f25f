/* A parking lot that is locked by macros. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define LOCK(object)   pthread_mutex_lock(&(object)->mutex)
#define UNLOCK(object) pthread_mutex_unlock(&(object)->mutex)

struct parking {
	pthread_mutex_t mutex;
	int cars;
	int places;
};

struct parking *parking_new(int places)
{
	struct parking *parking = calloc(1, sizeof(*parking));
	if (!parking)
		return NULL;
	pthread_mutex_init(&parking->mutex, NULL);
	parking->places = places;
	return parking;
}

bool parking_enter(struct parking *parking)
{
	LOCK(parking);
	bool free_place = parking->cars < parking->places;
	if (free_place)
		parking->cars++;
	UNLOCK(parking);
	return free_place;
}

void parking_leave(struct parking *parking)
{
	LOCK(parking);
	parking->cars--;
	UNLOCK(parking);
}

void parking_close_places(struct parking *parking, int closed)
{
	LOCK(parking);
	parking->places -= closed;
	UNLOCK(parking);
}
