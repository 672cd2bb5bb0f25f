/* Who initialises the lock of a harbour sets up its places, wherever these come from: nobody else is there yet. */
#include <pthread.h>
#include <stdlib.h>

/* @thread_safe */
struct place {
	int ship, depth;
};

struct harbour {
	pthread_mutex_t lock;
	struct place *places;
	int count;
};

struct place *places_of(const char *name);

static void place_open(struct place *place)
{
	place->ship = -1;
}

void harbour_open(struct harbour *harbour, const char *name, int count)
{
	struct place *places = places_of(name);

	pthread_mutex_init(&harbour->lock, NULL);
	harbour->places = places;
	harbour->count = count;
	for (int i = 0; i < count; i++)
		place_open(places_of(name));
}

int harbour_ship(struct harbour *harbour, int i)
{
	pthread_mutex_lock(&harbour->lock);
	int ship = harbour->places[i].ship;
	pthread_mutex_unlock(&harbour->lock);
	return ship;
}

void harbour_land(struct harbour *harbour, int i, int ship)
{
	pthread_mutex_lock(&harbour->lock);
	harbour->places[i].ship = ship;
	pthread_mutex_unlock(&harbour->lock);
}
