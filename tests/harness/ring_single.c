/* A ring for one producer and one consumer: correct as that, but not where two threads put. */
#include <stdatomic.h>
#include <stdlib.h>

enum { SLOTS = 4 };

struct ring {
	atomic_uint head, tail;
	int items[SLOTS];
};

struct ring *ring_new(void)
{
	return calloc(1, sizeof(struct ring));
}

void ring_free(struct ring *r)
{
	free(r);
}

int ring_put(struct ring *r, int value)
{
	unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	if (tail - atomic_load_explicit(&r->head, memory_order_acquire) == SLOTS)
		return 0;
	r->items[tail % SLOTS] = value;
	atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
	return 1;
}

int ring_get(struct ring *r, int *value)
{
	unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (head == atomic_load_explicit(&r->tail, memory_order_acquire))
		return 0;
	*value = r->items[head % SLOTS];
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
	return 1;
}
