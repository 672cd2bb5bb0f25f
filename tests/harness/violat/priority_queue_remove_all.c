/* PriorityBlockingQueue.removeAll(), of AbstractCollection: takes a copy, and removes what is in it
   item by item. Here everything is to be removed. */
#include <pthread.h>
#include <stdlib.h>

enum { ITEMS = 4 };

struct heap {
	pthread_mutex_t lock;
	int count[ITEMS]; /* of each item */
};

struct heap *heap_new(void)
{
	struct heap *h = calloc(1, sizeof(*h));

	pthread_mutex_init(&h->lock, NULL);
	return h;
}

void heap_free(struct heap *h)
{
	free(h);
}

void heap_offer(struct heap *h, unsigned item)
{
	pthread_mutex_lock(&h->lock);
	h->count[item % ITEMS]++;
	pthread_mutex_unlock(&h->lock);
}

static int take(struct heap *h, int from, int to)
{
	int item = -1;

	pthread_mutex_lock(&h->lock);
	for (int i = from; i < to && item < 0; i++)
		if (h->count[i])
			item = i;
	if (item >= 0)
		h->count[item]--;
	pthread_mutex_unlock(&h->lock);
	return item;
}

int heap_poll(struct heap *h)
{
	return take(h, 0, ITEMS);
}

int heap_remove_all(struct heap *h)
{
	int copy[ITEMS], any = 0;

	pthread_mutex_lock(&h->lock);
	for (int i = 0; i < ITEMS; i++)
		copy[i] = h->count[i];
	pthread_mutex_unlock(&h->lock);
	for (int i = 0; i < ITEMS; i++)
		while (copy[i]-- > 0)
			any |= take(h, i, i + 1) >= 0;
	return any;
}
