/* ConcurrentSkipListMap.size(): counts the nodes of the lowest list one after the other. The list is
   linked by compare-and-swap; a removed node keeps its place without a value. */
#include <stdlib.h>

struct node {
	int key, there;
	struct node *next;
};

struct list {
	struct node head;
};

struct list *list_new(void)
{
	struct list *l = calloc(1, sizeof(*l));

	l->head.key = -1;
	return l;
}

/* Returns the node of the key, which is added if there is none. */
static struct node *find(struct list *l, int key)
{
	struct node *made = NULL;

	for (;;) {
		struct node *at = &l->head, *next;

		while ((next = __atomic_load_n(&at->next, __ATOMIC_SEQ_CST)) && next->key <= key)
			at = next;
		if (at->key == key)
			return at;
		made = made ? made : calloc(1, sizeof(*made));
		made->key = key;
		made->next = next;
		if (__atomic_compare_exchange_n(&at->next, &next, made, 0, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return made;
	}
}

int list_put(struct list *l, unsigned key)
{
	return !__atomic_exchange_n(&find(l, (int)(key % 4))->there, 1, __ATOMIC_SEQ_CST);
}

int list_remove(struct list *l, unsigned key)
{
	return __atomic_exchange_n(&find(l, (int)(key % 4))->there, 0, __ATOMIC_SEQ_CST);
}

int list_size(struct list *l)
{
	int count = 0;

	for (struct node *n = &l->head; n; n = __atomic_load_n(&n->next, __ATOMIC_SEQ_CST))
		count += __atomic_load_n(&n->there, __ATOMIC_SEQ_CST);
	return count;
}
