/* A queue of numbers for any number of threads; queue_size() does without the lock. */
#include <pthread.h>
#include <stdlib.h>

struct queue {
	pthread_mutex_t lock;
	int items[8], head, tail;
};

struct queue *queue_new(void)
{
	struct queue *q = calloc(1, sizeof(*q));

	pthread_mutex_init(&q->lock, NULL);
	return q;
}

void queue_free(struct queue *q)
{
	pthread_mutex_destroy(&q->lock);
	free(q);
}

int queue_push(struct queue *q, int value)
{
	int done;

	pthread_mutex_lock(&q->lock);
	done = q->tail - q->head < 8;
	if (done)
		q->items[q->tail++ % 8] = value;
	pthread_mutex_unlock(&q->lock);
	return done;
}

int queue_pop(struct queue *q, int *value)
{
	int done;

	pthread_mutex_lock(&q->lock);
	done = q->tail != q->head;
	if (done)
		*value = q->items[q->head++ % 8];
	pthread_mutex_unlock(&q->lock);
	return done;
}

int queue_size(struct queue *q)
{
	int tail = q->tail;

	return tail - q->head;
}
