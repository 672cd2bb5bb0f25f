/* As popped_then_freed.c, but the node stays in the queue. */
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

static struct node *peek(struct queue *queue)
{
	struct node *node = queue->front;

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
	node = peek(queue);
	pthread_mutex_unlock(&queue->lock);
	value = node->value;
	free(node); /* finding: P2 queue */
	return value;
}
