/* A boat that is made where its caller wants to have it is the caller's, until it is in the harbour. */
#include <pthread.h>
#include <stdlib.h>

struct boat {
	pthread_mutex_t lock;
	struct boat *next;
	int length, berth;
};

struct harbour {
	pthread_mutex_t lock;
	struct boat *boats;
};

static int boat_make(struct boat **made)
{
	struct boat *boat = calloc(1, sizeof(*boat));

	if (!boat)
		return -1;
	pthread_mutex_init(&boat->lock, NULL);
	*made = boat;
	return 0;
}

int harbour_add(struct harbour *harbour, int length)
{
	struct boat *boat;

	if (boat_make(&boat) != 0)
		return -1;
	boat->length = length;
	boat->berth = length / 2;
	pthread_mutex_lock(&harbour->lock);
	boat->next = harbour->boats;
	harbour->boats = boat;
	pthread_mutex_unlock(&harbour->lock);
	return 0;
}

void boat_change(struct boat *boat, int length, int berth)
{
	pthread_mutex_lock(&boat->lock);
	boat->length = length;
	boat->berth = berth;
	pthread_mutex_unlock(&boat->lock);
}

int boat_berth(struct boat *boat)
{
	pthread_mutex_lock(&boat->lock);
	int berth = boat->berth + boat->length;
	pthread_mutex_unlock(&boat->lock);
	return berth;
}
