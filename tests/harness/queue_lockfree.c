/* Michael and Scott's queue: lock-free, and correct (nodes are never given back). */
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int value;
	_Atomic(struct node *) next;
};

struct queue {
	_Atomic(struct node *) head, tail;
};

struct queue *queue_new(void)
{
	struct queue *q = calloc(1, sizeof(*q));
	struct node *first = calloc(1, sizeof(*first));

	atomic_store(&q->head, first);
	atomic_store(&q->tail, first);
	return q;
}

void queue_free(struct queue *q)
{
	free(q);
}

void queue_push(struct queue *q, int value)
{
	struct node *n = calloc(1, sizeof(*n)), *tail, *next;

	n->value = value;
	for (;;) {
		tail = atomic_load(&q->tail);
		next = atomic_load(&tail->next);
		if (next)
			atomic_compare_exchange_strong(&q->tail, &tail, next);
		else if (atomic_compare_exchange_strong(&tail->next, &next, n))
			break;
	}
	atomic_compare_exchange_strong(&q->tail, &tail, n);
}

int queue_pop(struct queue *q, int *value)
{
	for (;;) {
		struct node *head = atomic_load(&q->head), *tail = atomic_load(&q->tail);
		struct node *next = atomic_load(&head->next);

		if (head != atomic_load(&q->head))
			continue;
		if (!next)
			return 0;
		if (head == tail) {
			atomic_compare_exchange_strong(&q->tail, &tail, next);
			continue;
		}
		if (!atomic_compare_exchange_strong(&q->head, &head, next))
			continue;
		*value = next->value; /* not before: who finds nothing leaves it as it was */
		return 1;
	}
}
