/* liburcu: the lock-free hash table. */
#define RCU_API_MAP
#include <stdlib.h>
#include <urcu-bp.h>
#include <urcu/rculfhash.h>

struct subject {
	struct cds_lfht *table;
};

struct entry {
	struct cds_lfht_node node;
	unsigned key;
	int value;
};

static int match(struct cds_lfht_node *node, const void *key)
{
	return caa_container_of(node, struct entry, node)->key == *(const unsigned *)key;
}

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	o->table = cds_lfht_new(4, 4, 4, 0, NULL);
	return o;
}

int object_put_absent(struct subject *o, unsigned key, int value)
{
	struct entry *e = calloc(1, sizeof(*e));
	struct cds_lfht_node *n;
	int old;

	cds_lfht_node_init(&e->node);
	e->key = key;
	e->value = value + 1;
	rcu_read_lock();
	n = cds_lfht_add_unique(o->table, key, match, &key, &e->node);
	old = n == &e->node ? 0 : caa_container_of(n, struct entry, node)->value;
	rcu_read_unlock();
	return old;
}

int object_get(struct subject *o, unsigned key)
{
	struct cds_lfht_iter iter;
	struct cds_lfht_node *n;
	int value;

	rcu_read_lock();
	cds_lfht_lookup(o->table, key, match, &key, &iter);
	n = cds_lfht_iter_get_node(&iter);
	value = n ? caa_container_of(n, struct entry, node)->value : 0;
	rcu_read_unlock();
	return value;
}

int object_remove(struct subject *o, unsigned key)
{
	struct cds_lfht_iter iter;
	struct cds_lfht_node *n;
	int value = 0;

	rcu_read_lock();
	cds_lfht_lookup(o->table, key, match, &key, &iter);
	n = cds_lfht_iter_get_node(&iter);
	if (n && !cds_lfht_del(o->table, n))
		value = caa_container_of(n, struct entry, node)->value;
	rcu_read_unlock();
	return value;
}
