/* Two files have a struct of their own with the same tag: here the count has the lock. */
#include <pthread.h>

struct queue {
	pthread_mutex_t lock;
	int count;
};

void inbox_add(struct queue *inbox)
{
	pthread_mutex_lock(&inbox->lock);
	inbox->count++;
	pthread_mutex_unlock(&inbox->lock);
}

void inbox_remove(struct queue *inbox)
{
	pthread_mutex_lock(&inbox->lock);
	inbox->count--;
	pthread_mutex_unlock(&inbox->lock);
}

int inbox_count(struct queue *inbox)
{
	pthread_mutex_lock(&inbox->lock);
	int count = inbox->count;
	pthread_mutex_unlock(&inbox->lock);
	return count;
}
