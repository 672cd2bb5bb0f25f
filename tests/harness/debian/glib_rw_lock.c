/* glib: a queue under a lock of readers and writers. */
#include <glib.h>

struct subject {
	GRWLock lock;
	GQueue queue;
};

struct subject *object_new(void)
{
	struct subject *o = g_new0(struct subject, 1);

	g_rw_lock_init(&o->lock);
	g_queue_init(&o->queue);
	return o;
}

void object_push(struct subject *o, int value)
{
	g_rw_lock_writer_lock(&o->lock);
	g_queue_push_tail(&o->queue, (void *)(long)(value + 1));
	g_rw_lock_writer_unlock(&o->lock);
}

int object_pop(struct subject *o)
{
	int value;

	g_rw_lock_writer_lock(&o->lock);
	value = (int)(long)g_queue_pop_head(&o->queue);
	g_rw_lock_writer_unlock(&o->lock);
	return value;
}

int object_peek(struct subject *o)
{
	int value;

	g_rw_lock_reader_lock(&o->lock);
	value = (int)(long)g_queue_peek_head(&o->queue);
	g_rw_lock_reader_unlock(&o->lock);
	return value;
}
