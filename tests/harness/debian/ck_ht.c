/* ck: the hash table, written under a lock. */
#include <ck_ht.h>
#include <pthread.h>
#include <stdlib.h>

struct subject {
	pthread_mutex_t lock;
	ck_ht_t table;
};

static void *take(size_t size)
{
	return malloc(size);
}

static void give(void *p, size_t size, bool defer)
{
	(void)size;
	if (!defer)
		free(p);
}

static struct ck_malloc allocator = {.malloc = take, .free = give};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	pthread_mutex_init(&o->lock, NULL);
	ck_ht_init(&o->table, CK_HT_MODE_DIRECT | CK_HT_WORKLOAD_DELETE, NULL, &allocator, 8, 1);
	return o;
}

static int get(struct subject *o, unsigned key)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t hash;

	ck_ht_hash_direct(&hash, &o->table, key + 1);
	ck_ht_entry_key_set_direct(&entry, key + 1);
	return ck_ht_get_spmc(&o->table, hash, &entry) ? (int)ck_ht_entry_value_direct(&entry) : 0;
}

static void set(struct subject *o, unsigned key, int value)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t hash;

	ck_ht_hash_direct(&hash, &o->table, key + 1);
	ck_ht_entry_set_direct(&entry, hash, key + 1, (uintptr_t)value);
	if (value)
		ck_ht_set_spmc(&o->table, hash, &entry);
	else
		ck_ht_remove_spmc(&o->table, hash, &entry);
}

#include "map.h"
