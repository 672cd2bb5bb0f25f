/* liburcu: the lock-free stack; its pop takes a lock of the stack. */
#define _LGPL_SOURCE
#include <stdlib.h>
#include <urcu/lfstack.h>

struct subject {
	struct cds_lfs_stack stack;
};

struct item {
	struct cds_lfs_node node;
	int value;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	cds_lfs_init(&o->stack);
	return o;
}

int object_push(struct subject *o, int value)
{
	struct item *i = calloc(1, sizeof(*i));

	i->value = value;
	cds_lfs_node_init(&i->node);
	return cds_lfs_push(&o->stack, &i->node);
}

int object_pop(struct subject *o)
{
	struct cds_lfs_node *n = cds_lfs_pop_blocking(&o->stack);

	return n ? caa_container_of(n, struct item, node)->value : -1;
}

int object_is_empty(struct subject *o)
{
	return cds_lfs_empty(&o->stack);
}
