// libhl issue 22: values that were written to a queue are not read. Needs rqueue.c of libhl: the parent of
// 5f38267 has the bug, 576a5d5 the repair.
#include <pthread.h>
#include <rqueue.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define WRITERS 2
#define EACH 2

static rqueue_t *queue;
static int values[WRITERS * EACH];
static atomic_int ended;

static void *write_some(void *first)
{
	for (int i = 0; i < EACH; i++)
		while (rqueue_write(queue, (int *)first + i))
			sched_yield();
	ended++;
	return NULL;
}

int main(void)
{
	pthread_t writers[WRITERS];
	int count = 0;

	queue = rqueue_create(2, RQUEUE_MODE_BLOCKING);
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&writers[i], NULL, write_some, &values[i * EACH]);
	while (ended < WRITERS) {
		if (rqueue_read(queue))
			count++;
		else
			sched_yield();
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(writers[i], NULL);
	while (rqueue_read(queue))
		count++;
	if (count != WRITERS * EACH) {
		fprintf(stderr, "%d values of %d were read\n", count, WRITERS * EACH);
		return 1;
	}
	return 0;
}
