/* glib-2.0: GQueue, which is for one thread; misuse. */
#include <glib.h>

struct subject {
	GQueue queue;
};

struct subject *object_new(void)
{
	return g_new0(struct subject, 1);
}

void object_push(struct subject *o, void *value)
{
	g_queue_push_tail(&o->queue, value);
}

void *object_pop(struct subject *o)
{
	return g_queue_pop_head(&o->queue);
}

int object_length(struct subject *o)
{
	return (int)g_queue_get_length(&o->queue);
}
