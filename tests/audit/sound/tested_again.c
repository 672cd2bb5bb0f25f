/* What was tested in one critical section is tested again in the next one, and waits are in a loop
   that tests again. */
#include <pthread.h>

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
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
	if (q->items < q->most)
		q->items++;
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
	return 0;
}

void queue_get(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (!q->items)
		pthread_cond_wait(&q->more, &q->lock);
	q->items--;
	pthread_mutex_unlock(&q->lock);
}

void queue_serve(struct queue *q)
{
	for (;;) {
		pthread_mutex_lock(&q->lock);
		if (!q->items) {
			pthread_cond_wait(&q->more, &q->lock);
			pthread_mutex_unlock(&q->lock);
			continue;
		}
		q->items--;
		pthread_mutex_unlock(&q->lock);
	}
}
