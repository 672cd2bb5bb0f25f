/* A list whose nodes are locked hand over hand: always a node and then its next, so never in a circle. */
#include <pthread.h>
#include <stdlib.h>

struct node {
	pthread_mutex_t lock;
	struct node *next;
	int value;
};

static struct node head = {.lock = PTHREAD_MUTEX_INITIALIZER};

int list_push(int value)
{
	struct node *node = calloc(1, sizeof(*node));
	if (!node)
		return -1;
	pthread_mutex_init(&node->lock, NULL);
	node->value = value;
	pthread_mutex_lock(&head.lock);
	node->next = head.next;
	head.next = node;
	pthread_mutex_unlock(&head.lock);
	return 0;
}

void list_add_to_all(int amount)
{
	struct node *at = &head;
	pthread_mutex_lock(&at->lock);
	while (at) {
		struct node *next = at->next;
		if (next)
			pthread_mutex_lock(&next->lock);
		at->value += amount;
		pthread_mutex_unlock(&at->lock);
		at = next;
	}
}
