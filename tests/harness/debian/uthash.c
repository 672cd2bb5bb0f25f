/* uthash: a hash table of macros, under a lock. */
#include <pthread.h>
#include <stdlib.h>
#include <uthash.h>

struct entry {
	unsigned key;
	int value;
	UT_hash_handle hh;
};

struct subject {
	pthread_mutex_t lock;
	struct entry *table;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	pthread_mutex_init(&o->lock, NULL);
	return o;
}

static int get(struct subject *o, unsigned key)
{
	struct entry *e;

	HASH_FIND(hh, o->table, &key, sizeof(key), e);
	return e ? e->value : 0;
}

static void set(struct subject *o, unsigned key, int value)
{
	struct entry *e;

	HASH_FIND(hh, o->table, &key, sizeof(key), e);
	if (e)
		HASH_DEL(o->table, e);
	if (!value)
		return;
	e = calloc(1, sizeof(*e));
	e->key = key;
	e->value = value;
	HASH_ADD(hh, o->table, key, sizeof(key), e);
}

int object_put(struct subject *o, unsigned key, int value)
{
	int old;

	pthread_mutex_lock(&o->lock);
	old = get(o, key);
	set(o, key, value + 1);
	pthread_mutex_unlock(&o->lock);
	return old;
}

int object_get(struct subject *o, unsigned key)
{
	int value;

	pthread_mutex_lock(&o->lock);
	value = get(o, key);
	pthread_mutex_unlock(&o->lock);
	return value;
}

int object_remove(struct subject *o, unsigned key)
{
	int old;

	pthread_mutex_lock(&o->lock);
	old = get(o, key);
	if (old)
		set(o, key, 0);
	pthread_mutex_unlock(&o->lock);
	return old;
}

int object_put_absent(struct subject *o, unsigned key, int value)
{
	int old;

	pthread_mutex_lock(&o->lock);
	old = get(o, key);
#ifdef PLANTED
	pthread_mutex_unlock(&o->lock);
	pthread_mutex_lock(&o->lock);
#endif
	if (!old)
		set(o, key, value + 1);
	pthread_mutex_unlock(&o->lock);
	return old;
}
