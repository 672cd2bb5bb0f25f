/* The struct of this file has a lock of another name. */
#include <pthread.h>

struct queue {
	pthread_mutex_t gate;
	int count;
};

void outbox_add(struct queue *outbox)
{
	pthread_mutex_lock(&outbox->gate);
	outbox->count++;
	pthread_mutex_unlock(&outbox->gate);
}

void outbox_clear(struct queue *outbox)
{
	pthread_mutex_lock(&outbox->gate);
	outbox->count = 0;
	pthread_mutex_unlock(&outbox->gate);
}
