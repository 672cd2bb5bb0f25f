/* A consumer waits once for its queue: another consumer may come first, and a wait may end without
   a signal. */
#include <pthread.h>

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	int items;
};

void queue_put(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->items++;
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
}

void queue_get(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	if (!q->items)
		pthread_cond_wait(&q->more, &q->lock); /* finding: wait more */
	q->items--;
	pthread_mutex_unlock(&q->lock);
}
