/* Circular list: two threads insert behind the head without a lock.
 * Both read the same successor before either links its node: one node is lost. */
#include "bug.h"

static struct node {
	struct node *volatile next;
} head = {&head}, nodes[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *insert(void *arg)
{
	struct node *node = arg;

	if (FIXED)
		pthread_mutex_lock(&lock);
	node->next = head.next;
	head.next = node;
	if (FIXED)
		pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	int length = 0;

	start(insert, &nodes[0]);
	start(insert, &nodes[1]);
	join_all();
	for (struct node *n = head.next; n != &head; n = n->next)
		length++;
	check(length == 2, "a node was lost");
	return 0;
}
