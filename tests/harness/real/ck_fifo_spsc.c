/* ck: the queue of one producer and one consumer, each side under the lock that it has for that. */
#include <ck_fifo.h>
#include <stdlib.h>

struct subject {
	ck_fifo_spsc_t queue;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	ck_fifo_spsc_init(&o->queue, calloc(1, sizeof(ck_fifo_spsc_entry_t)));
	return o;
}

void object_push(struct subject *o, void *value)
{
	ck_fifo_spsc_entry_t *e = calloc(1, sizeof(*e));

	ck_fifo_spsc_enqueue_lock(&o->queue);
	ck_fifo_spsc_enqueue(&o->queue, e, value);
	ck_fifo_spsc_enqueue_unlock(&o->queue);
}

_Bool object_pop(struct subject *o, void **value)
{
	_Bool some;

	ck_fifo_spsc_dequeue_lock(&o->queue);
	some = ck_fifo_spsc_dequeue(&o->queue, value);
	ck_fifo_spsc_dequeue_unlock(&o->queue);
	return some;
}

_Bool object_is_empty(struct subject *o)
{
	return ck_fifo_spsc_isempty(&o->queue);
}
