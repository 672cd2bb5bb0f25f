/* A shop's functions that say in their comments that who calls them has the lock; some are for other files. */
#include <pthread.h>
#include <stdbool.h>

struct shop {
	pthread_mutex_t lock;
	int stock, sold;
	bool is_open;
};

void shop_lock(struct shop *shop)
{
	pthread_mutex_lock(&shop->lock);
}

void shop_unlock(struct shop *shop)
{
	pthread_mutex_unlock(&shop->lock);
}

/**
 * How many are left?
 *
 * @param shop of which it is asked
 * @locks shop_lock() MUST be held.
 */
int shop_stock(const struct shop *shop)
{
	return shop->stock;
}

/* should be called with shop LOCK */
void shop_take(struct shop *shop)
{
	shop->stock--;
	shop->sold++;
}

bool shop_sell(struct shop *shop)
{
	bool sells;

	pthread_mutex_lock(&shop->lock);
	sells = shop->is_open && shop->stock > 0;
	if (sells)
		shop_take(shop);
	pthread_mutex_unlock(&shop->lock);
	return sells;
}

void shop_deliver(struct shop *shop, int n)
{
	pthread_mutex_lock(&shop->lock);
	shop->stock += n;
	shop->is_open = true;
	pthread_mutex_unlock(&shop->lock);
}
