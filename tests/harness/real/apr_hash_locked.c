/* APR: a hash table under a mutex of the library. */
#include <apr_general.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <stdlib.h>

struct subject {
	apr_pool_t *pool;
	apr_thread_mutex_t *lock;
	apr_hash_t *table;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	apr_initialize();
	apr_pool_create(&o->pool, NULL);
	apr_thread_mutex_create(&o->lock, APR_THREAD_MUTEX_DEFAULT, o->pool);
	o->table = apr_hash_make(o->pool);
	return o;
}

void object_set(struct subject *o, const char *key, int value)
{
	apr_thread_mutex_lock(o->lock);
	apr_hash_set(o->table, key, APR_HASH_KEY_STRING, value ? (void *)(long)value : NULL);
	apr_thread_mutex_unlock(o->lock);
}

int object_get(struct subject *o, const char *key)
{
	int value;

	apr_thread_mutex_lock(o->lock);
	value = (int)(long)apr_hash_get(o->table, key, APR_HASH_KEY_STRING);
	apr_thread_mutex_unlock(o->lock);
	return value;
}

int object_count(struct subject *o)
{
	int count;

	apr_thread_mutex_lock(o->lock);
	count = (int)apr_hash_count(o->table);
	apr_thread_mutex_unlock(o->lock);
	return count;
}
