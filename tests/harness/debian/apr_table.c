/* APR: a table of texts under a lock of readers and writers. */
#include <apr_general.h>
#include <apr_tables.h>
#include <apr_thread_rwlock.h>
#include <stdlib.h>

struct subject {
	apr_pool_t *pool;
	apr_thread_rwlock_t *lock;
	apr_table_t *table;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	apr_initialize();
	apr_pool_create(&o->pool, NULL);
	apr_thread_rwlock_create(&o->lock, o->pool);
	o->table = apr_table_make(o->pool, 4);
	return o;
}

void object_set(struct subject *o, const char *key, const char *value)
{
	apr_thread_rwlock_wrlock(o->lock);
	apr_table_setn(o->table, key, value);
	apr_thread_rwlock_unlock(o->lock);
}

const char *object_get(struct subject *o, const char *key)
{
	const char *value;

	apr_thread_rwlock_rdlock(o->lock);
	value = apr_table_get(o->table, key);
	apr_thread_rwlock_unlock(o->lock);
	return value;
}

const char *object_swap(struct subject *o, const char *key, const char *value)
{
	const char *old;

	apr_thread_rwlock_wrlock(o->lock);
	old = apr_table_get(o->table, key);
#ifdef PLANTED
	apr_thread_rwlock_unlock(o->lock);
	apr_thread_rwlock_wrlock(o->lock);
#endif
	apr_table_setn(o->table, key, value);
	apr_thread_rwlock_unlock(o->lock);
	return old;
}
