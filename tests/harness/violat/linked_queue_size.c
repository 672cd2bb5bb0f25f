/* ConcurrentLinkedQueue.size(): counts the nodes that hold an item, one after the other. */
#include <stdlib.h>

struct node {
	int item; /* 0: taken */
	struct node *next;
};

struct queue {
	struct node first;
};

struct queue *queue_new(void)
{
	return calloc(1, sizeof(struct queue));
}

void queue_offer(struct queue *q, int item)
{
	struct node *n = calloc(1, sizeof(*n)), **at = &q->first.next, *none = NULL;

	n->item = item + 1;
	while (!__atomic_compare_exchange_n(at, &none, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		at = &none->next;
		none = NULL;
	}
}

int queue_poll(struct queue *q)
{
	struct node *n = &q->first;

	while ((n = __atomic_load_n(&n->next, __ATOMIC_SEQ_CST))) {
		int item = __atomic_exchange_n(&n->item, 0, __ATOMIC_SEQ_CST);

		if (item)
			return item - 1;
	}
	return -1;
}

int queue_size(struct queue *q)
{
	struct node *n = &q->first;
	int count = 0;

	while ((n = __atomic_load_n(&n->next, __ATOMIC_SEQ_CST)))
		count += __atomic_load_n(&n->item, __ATOMIC_SEQ_CST) != 0;
	return count;
}
