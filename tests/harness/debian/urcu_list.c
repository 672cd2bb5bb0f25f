/* liburcu: a list that is changed under a lock and read without one. */
#include <pthread.h>
#include <stdlib.h>
#include <urcu-bp.h>
#include <urcu/rculist.h>

struct subject {
	pthread_mutex_t lock;
	struct cds_list_head list;
};

struct item {
	struct cds_list_head node;
	int value;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	pthread_mutex_init(&o->lock, NULL);
	CDS_INIT_LIST_HEAD(&o->list);
	return o;
}

void object_add(struct subject *o, int value)
{
	struct item *i = calloc(1, sizeof(*i));

	i->value = value;
	pthread_mutex_lock(&o->lock);
	cds_list_add_rcu(&i->node, &o->list);
	pthread_mutex_unlock(&o->lock);
}

int object_contains(struct subject *o, int value)
{
	struct item *i;
	int found = 0;

	rcu_read_lock();
	cds_list_for_each_entry_rcu(i, &o->list, node) found |= i->value == value;
	rcu_read_unlock();
	return found;
}

int object_remove(struct subject *o, int value)
{
	struct item *i;
	int found = 0;

	pthread_mutex_lock(&o->lock);
	cds_list_for_each_entry(i, &o->list, node)
	{
		if (i->value != value)
			continue;
		cds_list_del_rcu(&i->node);
		found = 1;
		break;
	}
	pthread_mutex_unlock(&o->lock);
	return found;
}
