/* NSPR: the stack that PR_CreateStack makes; one word of the head is its lock. */
#include <pratom.h>
#include <stdlib.h>

struct subject {
	PRStack *stack;
};

struct item {
	PRStackElem link;
	int value;
};

struct subject *object_new(void)
{
	struct subject *o = calloc(1, sizeof(*o));

	o->stack = PR_CreateStack("subject");
	return o;
}

void object_push(struct subject *o, int value)
{
	struct item *i = calloc(1, sizeof(*i));

	i->value = value + 1;
	PR_StackPush(o->stack, &i->link);
}

int object_pop(struct subject *o)
{
	struct item *i = (struct item *)PR_StackPop(o->stack);

	return i ? i->value : 0;
}
