/* libqb: a skip list under a lock. */
#include <pthread.h>
#include <qb/qbmap.h>
#include <stdlib.h>

struct subject {
	pthread_mutex_t lock;
	qb_map_t *map;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	pthread_mutex_init(&o->lock, NULL);
	o->map = qb_skiplist_create();
	return o;
}

static const char *name(unsigned key)
{
	static const char *const names[] = {"zero", "one", "two", "three"};

	return names[key % 4];
}

static int get(struct subject *o, unsigned key)
{
	return (int)(long)qb_map_get(o->map, name(key));
}

static void set(struct subject *o, unsigned key, int value)
{
	if (value)
		qb_map_put(o->map, name(key), (void *)(long)value);
	else
		qb_map_rm(o->map, name(key));
}

#include "map.h"
