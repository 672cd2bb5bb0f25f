/* jansson: an array of JSON numbers under a lock; their reference counts are atomic. */
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>

struct subject {
	pthread_mutex_t lock;
	json_t *array;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	pthread_mutex_init(&o->lock, NULL);
	o->array = json_array();
	json_array_append_new(o->array, json_integer(0));
	return o;
}

int object_add(struct subject *o, int number)
{
	json_t *first;
	int value;

	pthread_mutex_lock(&o->lock);
	first = json_array_get(o->array, 0);
	value = (int)json_integer_value(first) + number;
#ifdef PLANTED
	pthread_mutex_unlock(&o->lock);
	pthread_mutex_lock(&o->lock);
#endif
	json_array_set_new(o->array, 0, json_integer(value));
	pthread_mutex_unlock(&o->lock);
	return value;
}

int object_set(struct subject *o, int number)
{
	int old;

	pthread_mutex_lock(&o->lock);
	old = (int)json_integer_value(json_array_get(o->array, 0));
	json_array_set_new(o->array, 0, json_integer(number));
	pthread_mutex_unlock(&o->lock);
	return old;
}

/* Reads outside of the lock: the reference keeps the number. */
int object_get(struct subject *o)
{
	json_t *first;
	int value;

	pthread_mutex_lock(&o->lock);
	first = json_incref(json_array_get(o->array, 0));
	pthread_mutex_unlock(&o->lock);
	value = (int)json_integer_value(first);
	json_decref(first);
	return value;
}
