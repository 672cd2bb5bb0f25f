/* liburcu: the wait-free queue, its dequeue without the lock that it asks for; misuse. */
#define _LGPL_SOURCE
#include <stdlib.h>
#include <urcu/wfcqueue.h>

struct subject {
	struct cds_wfcq_head head;
	struct cds_wfcq_tail tail;
};

struct item {
	struct cds_wfcq_node node;
	int value;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	cds_wfcq_init(&o->head, &o->tail);
	return o;
}

int object_push(struct subject *o, int value)
{
	struct item *i = calloc(1, sizeof(*i));

	i->value = value;
	cds_wfcq_node_init(&i->node);
	return cds_wfcq_enqueue(&o->head, &o->tail, &i->node);
}

int object_pop(struct subject *o)
{
	struct cds_wfcq_node *n = __cds_wfcq_dequeue_blocking(&o->head, &o->tail);

	return n ? caa_container_of(n, struct item, node)->value : -1;
}

int object_is_empty(struct subject *o)
{
	return cds_wfcq_empty(&o->head, &o->tail);
}
