/* A deque under one lock, as java.util.concurrent.LinkedBlockingDeque. */
#include <pthread.h>
#include <stdlib.h>

enum { ROOM = 16 };

struct deque {
	pthread_mutex_t lock;
	int count, items[ROOM];
};

struct deque *deque_new(void)
{
	struct deque *d = calloc(1, sizeof(*d));

	pthread_mutex_init(&d->lock, NULL);
	return d;
}

void deque_free(struct deque *d)
{
	free(d);
}

int deque_offer(struct deque *d, int item)
{
	int fits;

	pthread_mutex_lock(&d->lock);
	fits = d->count < ROOM;
	if (fits)
		d->items[d->count++] = item;
	pthread_mutex_unlock(&d->lock);
	return fits;
}

int deque_poll(struct deque *d)
{
	int item = -1;

	pthread_mutex_lock(&d->lock);
	if (d->count) {
		item = d->items[0];
		d->count--;
		for (int i = 0; i < d->count; i++)
			d->items[i] = d->items[i + 1];
	}
	pthread_mutex_unlock(&d->lock);
	return item;
}

int deque_contains(struct deque *d, int item)
{
	int found = 0;

	pthread_mutex_lock(&d->lock);
	for (int i = 0; i < d->count; i++)
		found |= d->items[i] == item;
	pthread_mutex_unlock(&d->lock);
	return found;
}
