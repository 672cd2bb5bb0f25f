/* The comment says that who calls it has the lock, and one who calls it has it not. */
#include <pthread.h>
#include <stdbool.h>

struct shop {
	pthread_mutex_t lock;
	int stock, sold;
	bool is_open;
};

/* The lock must be held by whoever calls this. */
static void shop_take(struct shop *shop)
{
	shop->stock--; /* finding: P3 stock */
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

void shop_reserve(struct shop *shop)
{
	shop_take(shop);
}

/* Must not be called with the lock held. */
int shop_left(struct shop *shop)
{
	return shop->stock; /* finding: P3 stock */
}

void shop_lose(struct shop *shop)
{
	pthread_mutex_lock(&shop->lock);
	shop->stock = 0;
	pthread_mutex_unlock(&shop->lock);
}
