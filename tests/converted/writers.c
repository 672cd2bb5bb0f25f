/* Four workers begin one after the other, and the last number counts: a loop of sleeps. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int order[4], done;

static void *worker(void *number)
{
	order[done++] = (int)(intptr_t)number;
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++) {
		pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
		usleep(100000);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d %d\n", order[0], order[1], order[2], order[3]);
	return !(order[0] == 0 && order[1] == 1 && order[2] == 2 && order[3] == 3);
}
