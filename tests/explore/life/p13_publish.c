// A crash in a critical section: the object is announced before it is made.
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static int *head, ready;
static void *use(void *p)
{
	if (ready) {
		pthread_mutex_lock(&list_lock);
		*head = 1;
		pthread_mutex_unlock(&list_lock);
	}
	return p;
}
static void *publish(void *p)
{
	ready = 1;
	pthread_mutex_lock(&list_lock);
	head = malloc(4);
	pthread_mutex_unlock(&list_lock);
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, publish, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(head);
	return 0;
}
