/* APR: a hash table without a lock; misuse. */
#include <apr_general.h>
#include <apr_hash.h>
#include <stdlib.h>

struct subject {
	apr_pool_t *pool;
	apr_hash_t *table;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	apr_initialize();
	apr_pool_create(&o->pool, NULL);
	o->table = apr_hash_make(o->pool);
	return o;
}

void object_set(struct subject *o, const char *key, int value)
{
	apr_hash_set(o->table, key, APR_HASH_KEY_STRING, value ? (void *)(long)value : NULL);
}

int object_get(struct subject *o, const char *key)
{
	return (int)(long)apr_hash_get(o->table, key, APR_HASH_KEY_STRING);
}

int object_count(struct subject *o)
{
	return (int)apr_hash_count(o->table);
}
