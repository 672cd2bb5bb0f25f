/* A node is taken out of the queue under the lock by one function, and freed by the other. */
#include <pthread.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};

struct queue {
	pthread_mutex_t lock;
	struct node *front;
	int size;
};

static struct node *pop(struct queue *queue)
{
	struct node *node = queue->front;

	queue->front = node->next;
	queue->size--;
	return node;
}

void queue_push(struct queue *queue, struct node *node)
{
	pthread_mutex_lock(&queue->lock);
	node->next = queue->front;
	queue->front = node;
	queue->size++;
	pthread_mutex_unlock(&queue->lock);
}

int queue_take(struct queue *queue)
{
	struct node *node;
	int value;

	pthread_mutex_lock(&queue->lock);
	node = pop(queue);
	pthread_mutex_unlock(&queue->lock);
	value = node->value;
	free(node);
	return value;
}
