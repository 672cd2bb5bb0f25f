/* Stores of goods: moving locks the giving one, then the getting one, so two moves in opposite ways wait for ever. */
#include <pthread.h>
#include <stdlib.h>

struct store {
	pthread_mutex_t lock;
	int crates;
};

struct store *store_new(int crates)
{
	struct store *store = malloc(sizeof(*store));
	if (!store)
		return NULL;
	pthread_mutex_init(&store->lock, NULL);
	store->crates = crates;
	return store;
}

void store_move(struct store *from, struct store *to, int crates)
{
	if (from == to)
		return;
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock); /* finding: lock-order lock lock */
	from->crates -= crates;
	to->crates += crates;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

int store_crates(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	int crates = store->crates;
	pthread_mutex_unlock(&store->lock);
	return crates;
}

#ifdef DRIVER
static struct store *harbour, *market;

static void *there(void *unused)
{
	store_move(harbour, market, 1);
	store_move(harbour, market, 1);
	return unused;
}

static void *back(void *unused)
{
	store_move(market, harbour, 1);
	store_move(market, harbour, 1);
	return unused;
}

int main(void)
{
	pthread_t one, two;
	harbour = store_new(5);
	market = store_new(5);
	pthread_create(&one, NULL, there, NULL);
	pthread_create(&two, NULL, back, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return store_crates(harbour) != 5 || store_crates(market) != 5;
}
#endif
