/* glib: a list of data with a lock of its own, in a bit of the pointer. */
#include <glib.h>

struct subject {
	GData *data;
};

struct subject *object_new(void)
{
	struct subject *o = g_new0(struct subject, 1);

	g_datalist_init(&o->data);
	return o;
}

void object_set(struct subject *o, unsigned key, int value)
{
	g_datalist_id_set_data(&o->data, key % 4 + 1, (void *)(long)value);
}

int object_get(struct subject *o, unsigned key)
{
	return (int)(long)g_datalist_id_get_data(&o->data, key % 4 + 1);
}

int object_replace(struct subject *o, unsigned key, int old, int value)
{
#ifdef PLANTED
	if (object_get(o, key) != old)
		return 0;
	object_set(o, key, value);
	return 1;
#else
	return g_datalist_id_replace_data(&o->data, key % 4 + 1, (void *)(long)old,
					  (void *)(long)value, NULL, NULL);
#endif
}
