/* jansson: a JSON object under a lock. */
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>

struct subject {
	pthread_mutex_t lock;
	json_t *object;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	pthread_mutex_init(&o->lock, NULL);
	json_object_seed(1);
	o->object = json_object();
	return o;
}

static const char *name(unsigned key)
{
	static const char *const names[] = {"zero", "one", "two", "three"};

	return names[key % 4];
}

static int get(struct subject *o, unsigned key)
{
	return (int)json_integer_value(json_object_get(o->object, name(key)));
}

static void set(struct subject *o, unsigned key, int value)
{
	if (value)
		json_object_set_new(o->object, name(key), json_integer(value));
	else
		json_object_del(o->object, name(key));
}

#include "map.h"
