/* A lock-free stack that takes its nodes from a free list: another thread may pop a node, and push it again,
   between a pop's look at what is behind the head and its exchange. */
#include <stdatomic.h>
#include <stdlib.h>

enum { NODES = 4, NONE = -1 };

struct stack {
	atomic_int head, spare, next[NODES];
	int value[NODES];
};

static int take(struct stack *s, atomic_int *list)
{
	int first = atomic_load(list);

	while (first != NONE &&
	       !atomic_compare_exchange_weak(list, &first, atomic_load(&s->next[first])))
		;
	return first;
}

static void give(struct stack *s, atomic_int *list, int node)
{
	int first = atomic_load(list);

	do
		atomic_store(&s->next[node], first);
	while (!atomic_compare_exchange_weak(list, &first, node));
}

/* With two values in it: 8 above 9. */
struct stack *stack_new(void)
{
	struct stack *s = calloc(1, sizeof(*s));

	atomic_store(&s->head, NONE);
	atomic_store(&s->spare, NONE);
	for (int i = NODES - 1; i >= 0; i--)
		give(s, i < 2 ? &s->head : &s->spare, i);
	s->value[0] = 8;
	s->value[1] = 9;
	return s;
}

void stack_free(struct stack *s)
{
	free(s);
}

int stack_push(struct stack *s, int value)
{
	int node = take(s, &s->spare);

	if (node == NONE)
		return 0;
	s->value[node] = value;
	give(s, &s->head, node);
	return 1;
}

int stack_pop(struct stack *s)
{
	int node = take(s, &s->head), value;

	if (node == NONE)
		return -1;
	value = s->value[node];
	give(s, &s->spare, node);
	return value;
}
