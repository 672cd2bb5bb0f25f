/* liburcu: the lock-free queue; nodes are never freed. */
#include <stdlib.h>
#include <urcu-bp.h>
#include <urcu/rculfqueue.h>

struct subject {
	struct cds_lfq_queue_rcu queue;
};

struct item {
	struct cds_lfq_node_rcu node;
	int value;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	cds_lfq_init_rcu(&o->queue, urcu_bp_call_rcu);
	return o;
}

void object_push(struct subject *o, int value)
{
	struct item *i = calloc(1, sizeof(*i));

	i->value = value + 1;
	cds_lfq_node_init_rcu(&i->node);
	rcu_read_lock();
	cds_lfq_enqueue_rcu(&o->queue, &i->node);
	rcu_read_unlock();
}

int object_pop(struct subject *o)
{
	struct cds_lfq_node_rcu *n;

	rcu_read_lock();
	n = cds_lfq_dequeue_rcu(&o->queue);
	rcu_read_unlock();
	return n ? caa_container_of(n, struct item, node)->value : 0;
}
