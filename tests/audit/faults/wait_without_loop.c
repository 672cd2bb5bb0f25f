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

#ifdef DRIVER
static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static int broken;

static void *consumer(void *unused)
{
	(void)unused;
	queue_get(&queue);
	pthread_mutex_lock(&queue.lock);
	broken |= queue.items < 0;
	pthread_mutex_unlock(&queue.lock);
	return 0;
}

int main(void)
{
	pthread_t one, two;
	pthread_create(&one, 0, consumer, 0);
	pthread_create(&two, 0, consumer, 0);
	queue_put(&queue);
	queue_put(&queue);
	pthread_join(one, 0);
	pthread_join(two, 0);
	return broken;
}
#endif
