/* liburcu: the wait-free stack; its pop takes a lock of the stack. */
#define _LGPL_SOURCE
#include <stdlib.h>
#include <urcu/wfstack.h>

struct subject {
	struct cds_wfs_stack stack;
};

struct item {
	struct cds_wfs_node node;
	int value;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	cds_wfs_init(&o->stack);
	return o;
}

int object_push(struct subject *o, int value)
{
	struct item *i = calloc(1, sizeof(*i));

	i->value = value;
	cds_wfs_node_init(&i->node);
	return cds_wfs_push(&o->stack, &i->node);
}

int object_pop(struct subject *o)
{
	struct cds_wfs_node *n = cds_wfs_pop_blocking(&o->stack);

	return n ? caa_container_of(n, struct item, node)->value : -1;
}

int object_is_empty(struct subject *o)
{
	return cds_wfs_empty(&o->stack);
}
