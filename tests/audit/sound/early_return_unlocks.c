/* A purse that returns from three places, and unlocks at each. */
#include <pthread.h>
#include <stdlib.h>

struct purse {
	pthread_mutex_t lock;
	int coins;
	int closed;
};

struct purse *purse_new(int coins)
{
	struct purse *purse = calloc(1, sizeof(*purse));
	if (!purse)
		return NULL;
	pthread_mutex_init(&purse->lock, NULL);
	purse->coins = coins;
	return purse;
}

int purse_pay(struct purse *purse, int coins)
{
	if (coins <= 0)
		return -1;
	pthread_mutex_lock(&purse->lock);
	if (purse->closed) {
		pthread_mutex_unlock(&purse->lock);
		return -2;
	}
	if (purse->coins < coins) {
		pthread_mutex_unlock(&purse->lock);
		return -3;
	}
	purse->coins -= coins;
	pthread_mutex_unlock(&purse->lock);
	return 0;
}

void purse_close(struct purse *purse)
{
	pthread_mutex_lock(&purse->lock);
	purse->closed = 1;
	pthread_mutex_unlock(&purse->lock);
}
