/* glib: an array of pointers under a mutex. */
#include <glib.h>

struct subject {
	GMutex lock;
	GPtrArray *array;
};

struct subject *object_new(void)
{
	struct subject *o = g_new0(struct subject, 1);

	g_mutex_init(&o->lock);
	o->array = g_ptr_array_new();
	return o;
}

int object_add(struct subject *o, int value)
{
	int length;

	g_mutex_lock(&o->lock);
	g_ptr_array_add(o->array, (void *)(long)value);
	length = (int)o->array->len;
	g_mutex_unlock(&o->lock);
	return length;
}

int object_take(struct subject *o)
{
	int value = -1;

	g_mutex_lock(&o->lock);
	if (o->array->len) {
		value = (int)(long)o->array->pdata[o->array->len - 1];
#ifdef PLANTED
		g_mutex_unlock(&o->lock);
		g_mutex_lock(&o->lock);
		if (o->array->len)
#endif
			g_ptr_array_set_size(o->array, (int)o->array->len - 1);
	}
	g_mutex_unlock(&o->lock);
	return value;
}

int object_length(struct subject *o)
{
	int length;

	g_mutex_lock(&o->lock);
	length = (int)o->array->len;
	g_mutex_unlock(&o->lock);
	return length;
}
