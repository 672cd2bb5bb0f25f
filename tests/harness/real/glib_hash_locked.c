/* glib-2.0: GHashTable, each call under a lock; to put what is not there yet takes two of them. */
#include <glib.h>

struct subject {
	GMutex lock;
	GHashTable *table;
};

struct subject *object_new(void)
{
	struct subject *o = g_new0(struct subject, 1);

	g_mutex_init(&o->lock);
	o->table = g_hash_table_new(NULL, NULL);
	return o;
}

int object_insert(struct subject *o, int key, int value)
{
	int is_new;

	g_mutex_lock(&o->lock);
	is_new = g_hash_table_insert(o->table, GINT_TO_POINTER(key), GINT_TO_POINTER(value + 1));
	g_mutex_unlock(&o->lock);
	return is_new;
}

int object_lookup(struct subject *o, int key)
{
	int value;

	g_mutex_lock(&o->lock);
	value = GPOINTER_TO_INT(g_hash_table_lookup(o->table, GINT_TO_POINTER(key))) - 1;
	g_mutex_unlock(&o->lock);
	return value;
}

int object_remove(struct subject *o, int key)
{
	int was_there;

	g_mutex_lock(&o->lock);
	was_there = g_hash_table_remove(o->table, GINT_TO_POINTER(key));
	g_mutex_unlock(&o->lock);
	return was_there;
}
