/* Four threads fight for one mutex around the trapped line. */
// arrivals: 1000
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long total;

static void *body(void *arg)
{
	for (int i = 0; i < 250; i++) {
		pthread_mutex_lock(&lock);
		total += i; /* gate: here */
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, body, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("total %ld\n", total);
	return 0;
}
