/* ck: the stack of several producers and consumers. */
#include <ck_stack.h>
#include <stdlib.h>

struct subject {
	ck_stack_t stack;
};

struct item {
	ck_stack_entry_t entry;
	int value;
};

struct subject *object_new(void)
{
	struct subject *o = aligned_alloc(16, sizeof(*o));

	ck_stack_init(&o->stack);
	return o;
}

void object_push(struct subject *o, int value)
{
	struct item *i = calloc(1, sizeof(*i));

	i->value = value;
	ck_stack_push_mpmc(&o->stack, &i->entry);
}

int object_pop(struct subject *o)
{
	ck_stack_entry_t *e = ck_stack_pop_mpmc(&o->stack);

	return e ? ((struct item *)e)->value : -1;
}
