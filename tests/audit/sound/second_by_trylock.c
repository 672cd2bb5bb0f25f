/* A cook and a waiter's lock in the other order, but there the second is only tried, and the first given up if not got. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct restaurant {
	pthread_mutex_t cook_lock;
	pthread_mutex_t waiter_lock;
	int meals;
	int served;
};

struct restaurant *restaurant_new(void)
{
	struct restaurant *restaurant = calloc(1, sizeof(*restaurant));
	if (!restaurant)
		return NULL;
	pthread_mutex_init(&restaurant->cook_lock, NULL);
	pthread_mutex_init(&restaurant->waiter_lock, NULL);
	return restaurant;
}

void restaurant_cook(struct restaurant *restaurant)
{
	pthread_mutex_lock(&restaurant->cook_lock);
	pthread_mutex_lock(&restaurant->waiter_lock);
	restaurant->meals++;
	pthread_mutex_unlock(&restaurant->waiter_lock);
	pthread_mutex_unlock(&restaurant->cook_lock);
}

bool restaurant_serve(struct restaurant *restaurant)
{
	pthread_mutex_lock(&restaurant->waiter_lock);
	if (pthread_mutex_trylock(&restaurant->cook_lock) != 0) {
		pthread_mutex_unlock(&restaurant->waiter_lock);
		return false;
	}
	restaurant->meals--;
	restaurant->served++;
	pthread_mutex_unlock(&restaurant->cook_lock);
	pthread_mutex_unlock(&restaurant->waiter_lock);
	return true;
}
