/* Which of two workers does the task differs from run to run: a file says it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t wanted[2];
static int done;

static void *worker(void *arg)
{
	int self = *(int *)arg;

	sem_wait(&wanted[self]);
	if (__atomic_load_n(&done, __ATOMIC_SEQ_CST))
		return NULL;
	__atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static int turn(void)
{
	const char *path = getenv("TURN");
	FILE *f = fopen(path, "r+");
	int run = 0;

	if (f && fscanf(f, "%d", &run) == 1)
		rewind(f);
	else
		f = fopen(path, "w");
	fprintf(f, "%d\n", run + 1);
	fclose(f);
	return run % 2;
}

int main(void)
{
	static int selves[2] = {0, 1};
	int chosen = turn();
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) {
		sem_init(&wanted[i], 0, 0);
		pthread_create(&threads[i], NULL, worker, &selves[i]);
	}
	sem_post(&wanted[chosen]);
	usleep(60000); /* the task shall be done */
	if (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
		return 1;
	sem_post(&wanted[!chosen]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
