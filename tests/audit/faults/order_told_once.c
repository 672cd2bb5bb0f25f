/* A shop and its till, whose locks are taken in one order at one place and in the other one at two: one cycle. */
#include <pthread.h>

static pthread_mutex_t shop = PTHREAD_MUTEX_INITIALIZER, till = PTHREAD_MUTEX_INITIALIZER;

void shop_open(void)
{
	pthread_mutex_lock(&shop);
	pthread_mutex_lock(&till);
	pthread_mutex_unlock(&till);
	pthread_mutex_unlock(&shop);
}

void till_count(void)
{
	pthread_mutex_lock(&till);
	pthread_mutex_lock(&shop); /* finding: lock-order shop (or the other) */
	pthread_mutex_unlock(&shop);
	pthread_mutex_unlock(&till);
}

void till_empty(void)
{
	pthread_mutex_lock(&till);
	pthread_mutex_lock(&shop); /* finding: lock-order shop (or the other) */
	pthread_mutex_unlock(&shop);
	pthread_mutex_unlock(&till);
}
