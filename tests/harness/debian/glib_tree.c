/* glib: a balanced tree under a mutex. */
#include <glib.h>

struct subject {
	GMutex lock;
	GTree *tree;
};

static int compare(const void *a, const void *b)
{
	return (int)((long)a - (long)b);
}

struct subject *object_new(void)
{
	struct subject *o = g_new0(struct subject, 1);

	g_mutex_init(&o->lock);
	o->tree = g_tree_new(compare);
	return o;
}

static int get(struct subject *o, unsigned key)
{
	return (int)(long)g_tree_lookup(o->tree, (void *)(long)key);
}

static void set(struct subject *o, unsigned key, int value)
{
	if (value)
		g_tree_insert(o->tree, (void *)(long)key, (void *)(long)value);
	else
		g_tree_remove(o->tree, (void *)(long)key);
}

int object_put(struct subject *o, unsigned key, int value)
{
	int old;

	g_mutex_lock(&o->lock);
	old = get(o, key);
	set(o, key, value + 1);
	g_mutex_unlock(&o->lock);
	return old;
}

int object_get(struct subject *o, unsigned key)
{
	int value;

	g_mutex_lock(&o->lock);
	value = get(o, key);
	g_mutex_unlock(&o->lock);
	return value;
}

int object_remove(struct subject *o, unsigned key)
{
	int old;

	g_mutex_lock(&o->lock);
	old = get(o, key);
	if (old)
		set(o, key, 0);
	g_mutex_unlock(&o->lock);
	return old;
}

int object_put_absent(struct subject *o, unsigned key, int value)
{
	int old;

	g_mutex_lock(&o->lock);
	old = get(o, key);
#ifdef PLANTED
	g_mutex_unlock(&o->lock);
	g_mutex_lock(&o->lock);
#endif
	if (!old)
		set(o, key, value + 1);
	g_mutex_unlock(&o->lock);
	return old;
}
