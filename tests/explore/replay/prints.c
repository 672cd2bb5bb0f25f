/* Output of stdio: when it is written depends on what it is written to. A lost update aborts. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *p)
{
	int seen = n;

	printf("saw %d\n", seen);
	fprintf(stderr, "and says so\n");
	pthread_mutex_lock(&m);
	n = seen + 1;
	pthread_mutex_unlock(&m);
	return p;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	if (n != 2)
		abort();
	return 7;
}
