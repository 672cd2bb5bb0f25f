/* A worker uses what the pool has given it; a second thread closes the pool. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
	int value;
};
static struct item *volatile current;

static void *work(void *arg)
{
	struct item *item = current;

	printf("%s: %d\n", (char *)arg, item->value);
	return NULL;
}

static void *close_pool(void *arg)
{
	current = NULL;
	return arg;
}

int main(int argc, char **argv)
{
	static struct item only = {42};
	pthread_t worker, closer;

	current = &only;
	pthread_create(&worker, NULL, work, argc > 1 ? argv[1] : "value");
	pthread_create(&closer, NULL, close_pool, NULL);
	pthread_join(worker, NULL);
	pthread_join(closer, NULL);
	return 0;
}
