/* A basket is taken from where it stands, under the lock of the shop: nobody else comes to it any more. */
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

int shop_sell(struct shop *shop)
{
	struct basket *basket;
	int apples = 0;

	pthread_mutex_lock(&shop->lock);
	basket = shop->basket;
	shop->basket = NULL;
	shop->sold++;
	pthread_mutex_unlock(&shop->lock);
	if (basket) {
		apples = basket->apples;
		basket->apples = 0;
		free(basket);
	}
	return apples;
}
