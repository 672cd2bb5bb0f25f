/* Atomic operations, and loops that wait for them. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int turn, sum;
static int plain;

static void *round_and_round(void *p)
{
	int own = (int)(long)p;

	for (int i = 0; i < 3; i++) {
		while (atomic_load(&turn) % 2 != own)
			sched_yield();
		plain += own + 1;
		atomic_fetch_add(&sum, plain);
		atomic_fetch_add(&turn, 1);
	}
	printf("%d\n", atomic_load(&sum));
	return 0;
}

int main(void)
{
	pthread_t t[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, round_and_round, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 7;
}
