/* glib-2.0: GAsyncQueue, which locks for itself. */
#include <glib.h>

struct subject {
	GAsyncQueue *queue;
};

struct subject *object_new(void)
{
	struct subject *o = g_new0(struct subject, 1);

	o->queue = g_async_queue_new();
	return o;
}

void object_free(struct subject *o)
{
	g_async_queue_unref(o->queue);
	g_free(o);
}

void object_push(struct subject *o, void *value)
{
	g_async_queue_push(o->queue, value);
}

void object_push_front(struct subject *o, void *value)
{
	g_async_queue_push_front(o->queue, value);
}

void *object_try_pop(struct subject *o)
{
	return g_async_queue_try_pop(o->queue);
}

int object_length(struct subject *o)
{
	return g_async_queue_length(o->queue);
}
