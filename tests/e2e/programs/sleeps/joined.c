/* Workers are joined before the test sleeps: only what `late` does is waited for by the sleep. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int done;

static void *worker(void *arg)
{
	int *sum = arg;

	__atomic_add_fetch(sum, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *late(void *arg)
{
	(void)arg;
	__atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	pthread_t threads[3], last;
	int sum = 0;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, &sum);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pthread_create(&last, NULL, late, NULL);
	usleep(60000); /* it shall be done */
	if (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
		return 1;
	pthread_join(last, NULL);
	printf("%d\n", sum);
	return 0;
}
