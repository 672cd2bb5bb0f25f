/* Memory of the heap, small and large, from threads that get arenas of their own; stacks that are used again. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *shared[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *p)
{
	long own = (long)p;
	char *block = malloc(100 + (size_t)own * 40000);

	memset(block, 'a' + (int)own, 64);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		free(shared[own]);
		shared[own] = block;
		block = shared[(own + 1) % 4];
		shared[(own + 1) % 4] = 0;
		pthread_mutex_unlock(&lock);
		block = realloc(block, 200 + (size_t)i * 100000);
	}
	free(block);
	return 0;
}

int main(void)
{
	pthread_t t[4];

	for (int round = 0; round < 2; round++) {
		for (long i = 0; i < 4; i++)
			pthread_create(&t[i], 0, work, (void *)i);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], 0);
	}
	for (int i = 0; i < 4; i++)
		printf("%d\n", shared[i] != 0);
	return 7;
}
