/* A kitchen of three locks, each taken while the one before is held, and the last before the first. */
#include <pthread.h>
#include <stdlib.h>

struct kitchen {
	pthread_mutex_t stove;
	pthread_mutex_t oven;
	pthread_mutex_t sink;
	int pots;
	int cakes;
	int plates;
};

struct kitchen *kitchen_new(void)
{
	struct kitchen *kitchen = calloc(1, sizeof(*kitchen));
	if (!kitchen)
		return NULL;
	pthread_mutex_init(&kitchen->stove, NULL);
	pthread_mutex_init(&kitchen->oven, NULL);
	pthread_mutex_init(&kitchen->sink, NULL);
	return kitchen;
}

void kitchen_cook(struct kitchen *kitchen)
{
	pthread_mutex_lock(&kitchen->stove);
	kitchen->pots++;
	pthread_mutex_lock(&kitchen->oven); /* finding: lock-order stove oven (or the other) */
	kitchen->cakes++;
	pthread_mutex_unlock(&kitchen->oven);
	pthread_mutex_unlock(&kitchen->stove);
}

void kitchen_bake(struct kitchen *kitchen)
{
	pthread_mutex_lock(&kitchen->oven);
	kitchen->cakes++;
	pthread_mutex_lock(&kitchen->sink); /* finding: lock-order oven sink (or the other) */
	kitchen->plates++;
	pthread_mutex_unlock(&kitchen->sink);
	pthread_mutex_unlock(&kitchen->oven);
}

int kitchen_wash(struct kitchen *kitchen)
{
	pthread_mutex_lock(&kitchen->sink);
	kitchen->plates++;
	pthread_mutex_lock(&kitchen->stove); /* finding: lock-order sink stove (or the other) */
	int dirty = kitchen->pots + kitchen->plates;
	pthread_mutex_unlock(&kitchen->stove);
	pthread_mutex_unlock(&kitchen->sink);
	return dirty;
}

#ifdef DRIVER
static void *cook(void *kitchen)
{
	kitchen_cook(kitchen);
	kitchen_cook(kitchen);
	return NULL;
}

static void *bake(void *kitchen)
{
	kitchen_bake(kitchen);
	kitchen_bake(kitchen);
	return NULL;
}

int main(void)
{
	struct kitchen *kitchen = kitchen_new();
	pthread_t one, two;
	pthread_create(&one, NULL, cook, kitchen);
	pthread_create(&two, NULL, bake, kitchen);
	int first = kitchen_wash(kitchen);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return first < 1 || kitchen_wash(kitchen) != 6;
}
#endif
