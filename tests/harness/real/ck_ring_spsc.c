/* ck: the ring of one producer and one consumer, used by two; misuse. */
#include <ck_ring.h>
#include <stdlib.h>

enum { SIZE = 8 };

struct subject {
	ck_ring_t ring;
	ck_ring_buffer_t buffer[SIZE];
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	ck_ring_init(&o->ring, SIZE);
	return o;
}

_Bool object_push(struct subject *o, void *value)
{
	return ck_ring_enqueue_spsc(&o->ring, o->buffer, value);
}

_Bool object_pop(struct subject *o, void **value)
{
	return ck_ring_dequeue_spsc(&o->ring, o->buffer, value);
}
