/* A queue is found not full under its lock, which is released before the item is added: two threads
   may have found the same place free. */
#include <pthread.h>

struct queue {
	pthread_mutex_t lock;
	int items, most;
};

int queue_put(struct queue *q)
{
	int full;

	pthread_mutex_lock(&q->lock);
	full = q->items == q->most;
	pthread_mutex_unlock(&q->lock);
	if (full)
		return -1;
	pthread_mutex_lock(&q->lock);
	q->items++; /* finding: compound items */
	pthread_mutex_unlock(&q->lock);
	return 0;
}

int queue_get(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	if (!q->items) {
		pthread_mutex_unlock(&q->lock);
		return -1;
	}
	pthread_mutex_unlock(&q->lock);
	pthread_mutex_lock(&q->lock);
	q->items--; /* finding: compound items */
	pthread_mutex_unlock(&q->lock);
	return 0;
}
