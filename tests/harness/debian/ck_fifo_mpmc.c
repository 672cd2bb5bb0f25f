/* ck: the queue of several producers and consumers, with a compare-and-swap of two words. */
#include <ck_fifo.h>
#include <stdlib.h>

enum { ENTRY = 64 };

struct subject {
	ck_fifo_mpmc_t fifo;
};

struct subject *object_new(void)
{
	struct subject *o = aligned_alloc(64, (sizeof(*o) + 63) / 64 * 64);

	ck_fifo_mpmc_init(&o->fifo, aligned_alloc(64, ENTRY));
	return o;
}

void object_push(struct subject *o, int value)
{
	ck_fifo_mpmc_enqueue(&o->fifo, aligned_alloc(64, ENTRY),
			     (void *)(long)(value + 1));
}

int object_pop(struct subject *o)
{
	ck_fifo_mpmc_entry_t *entry;
	void *value;

	return ck_fifo_mpmc_dequeue(&o->fifo, &value, &entry) ? (int)(long)value : 0;
}
