/* A basket is looked up under the lock of the shop, and stays where it stands: others come to it, too. */
#include <pthread.h>
#include <stdlib.h>

struct basket {
	pthread_mutex_t lock;
	int apples;
};

struct shop {
	pthread_mutex_t lock;
	struct basket *basket;
	int sold;
};

void basket_add(struct basket *basket, int apples)
{
	pthread_mutex_lock(&basket->lock);
	basket->apples += apples;
	pthread_mutex_unlock(&basket->lock);
}

int basket_apples(struct basket *basket)
{
	pthread_mutex_lock(&basket->lock);
	int apples = basket->apples;
	pthread_mutex_unlock(&basket->lock);
	return apples;
}

void shop_empty(struct shop *shop)
{
	struct basket *basket;

	pthread_mutex_lock(&shop->lock);
	basket = shop->basket;
	shop->sold++;
	pthread_mutex_unlock(&shop->lock);
	if (basket)
		basket->apples = 0; /* finding: P3 apples */
}
