/* A queue in the heap, with conditions; its head is on main's stack. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct node *first;
	int sum;
};

static void *put(void *p)
{
	struct queue *q = p;

	for (int i = 1; i <= 3; i++) {
		struct node *node = malloc(sizeof(*node));

		pthread_mutex_lock(&q->lock);
		*node = (struct node){q->first, i};
		q->first = node;
		pthread_cond_signal(&q->filled);
		pthread_mutex_unlock(&q->lock);
	}
	return 0;
}

static void *take(void *p)
{
	struct queue *q = p;

	for (int i = 0; i < 3; i++) {
		struct node *node;

		pthread_mutex_lock(&q->lock);
		while (!q->first)
			pthread_cond_wait(&q->filled, &q->lock);
		node = q->first;
		q->first = node->next;
		q->sum += node->value;
		pthread_mutex_unlock(&q->lock);
		printf("took %d\n", node->value);
		free(node);
	}
	return 0;
}

int main(void)
{
	struct queue q = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, i & 1 ? put : take, &q);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return q.sum == 12 ? 7 : 8;
}
