/* A level that is read without the lock, and so is atomic; to look at it and then set it all hold the lock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct tank {
	pthread_mutex_t lock;
	atomic_int litres;
	int spilt;
};

struct tank *tank_new(void)
{
	struct tank *tank = calloc(1, sizeof(*tank));
	if (!tank)
		return NULL;
	pthread_mutex_init(&tank->lock, NULL);
	return tank;
}

int tank_fill(struct tank *tank, int litres)
{
	pthread_mutex_lock(&tank->lock);
	int now = atomic_load(&tank->litres) + litres;
	if (now > 100) {
		tank->spilt += now - 100;
		now = 100;
	}
	atomic_store(&tank->litres, now);
	int spilt = tank->spilt;
	pthread_mutex_unlock(&tank->lock);
	return spilt;
}

void tank_empty(struct tank *tank)
{
	pthread_mutex_lock(&tank->lock);
	atomic_store(&tank->litres, 0);
	pthread_mutex_unlock(&tank->lock);
}

int tank_litres(struct tank *tank)
{
	return atomic_load(&tank->litres);
}
