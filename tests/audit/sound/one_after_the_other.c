/* Two shops: goods go from one to the other with one lock held at a time, so that no order is needed. */
#include <pthread.h>
#include <stdlib.h>

struct shop {
	pthread_mutex_t lock;
	int goods;
};

struct shop *shop_new(int goods)
{
	struct shop *shop = malloc(sizeof(*shop));
	if (!shop)
		return NULL;
	pthread_mutex_init(&shop->lock, NULL);
	shop->goods = goods;
	return shop;
}

int shop_send(struct shop *from, struct shop *to, int goods)
{
	pthread_mutex_lock(&from->lock);
	if (from->goods < goods)
		goods = from->goods;
	from->goods -= goods;
	pthread_mutex_unlock(&from->lock);

	pthread_mutex_lock(&to->lock);
	to->goods += goods;
	pthread_mutex_unlock(&to->lock);
	return goods;
}
