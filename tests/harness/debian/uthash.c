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

#include "map.h"
