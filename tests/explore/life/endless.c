/* A program that never ends: each sum is new, so it is no livelock. */
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *p)
{
	for (unsigned long sum = 1;; sum = sum * 31 + 7) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	return 0;
}
