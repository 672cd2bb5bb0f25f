/* A boat is in the harbour already when the function that makes it gives it to its caller, who changes it then. */
#include <pthread.h>
#include <stdlib.h>

struct boat {
	pthread_mutex_t lock;
	struct boat *next;
	int berth;
};

struct harbour {
	pthread_mutex_t lock;
	struct boat *boats;
};

static int boat_make(struct harbour *harbour, struct boat **made)
{
	struct boat *boat = calloc(1, sizeof(*boat));

	if (!boat)
		return -1;
	pthread_mutex_init(&boat->lock, NULL);
	pthread_mutex_lock(&harbour->lock);
	boat->next = harbour->boats;
	harbour->boats = boat;
	pthread_mutex_unlock(&harbour->lock);
	*made = boat;
	return 0;
}

int harbour_add(struct harbour *harbour, int berth)
{
	struct boat *boat;

	if (boat_make(harbour, &boat) != 0)
		return -1;
	boat->berth = berth; /* finding: P3 berth */
	return 0;
}

int harbour_free(struct harbour *harbour)
{
	int most = 0;

	pthread_mutex_lock(&harbour->lock);
	for (struct boat *boat = harbour->boats; boat; boat = boat->next) {
		pthread_mutex_lock(&boat->lock);
		most = boat->berth > most ? boat->berth : most;
		pthread_mutex_unlock(&boat->lock);
	}
	pthread_mutex_unlock(&harbour->lock);
	return most + 1;
}

void boat_move(struct boat *boat, int berth)
{
	pthread_mutex_lock(&boat->lock);
	boat->berth = berth;
	pthread_mutex_unlock(&boat->lock);
}
