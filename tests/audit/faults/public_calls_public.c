/* A stack whose push of two calls the push of one, which locks too, with the lock held. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define DEPTH 16

struct stack {
	pthread_mutex_t lock;
	int items[DEPTH];
	int depth;
};

struct stack *stack_new(void)
{
	struct stack *stack = calloc(1, sizeof(*stack));
	if (!stack)
		return NULL;
	pthread_mutex_init(&stack->lock, NULL);
	return stack;
}

bool stack_push(struct stack *stack, int item)
{
	pthread_mutex_lock(&stack->lock); /* finding: double-lock lock (or the other) */
	bool fits = stack->depth < DEPTH;
	if (fits)
		stack->items[stack->depth++] = item;
	pthread_mutex_unlock(&stack->lock);
	return fits;
}

bool stack_push_repeated(struct stack *stack, int item, int times)
{
	pthread_mutex_lock(&stack->lock);
	bool fits = stack->depth + times <= DEPTH;
	for (int i = 0; fits && i < times; i++)
		stack_push(stack, item); /* finding: double-lock lock (or the other) */
	pthread_mutex_unlock(&stack->lock);
	return fits;
}
