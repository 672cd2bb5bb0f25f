/* Two threads hand over by spinning with sched_yield: alive all the time, never blocked. */
// arrivals: 400
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int turn;

static void *player(void *arg)
{
	int me = arg != NULL;
	for (int i = 0; i < 200; i++) {
		while (atomic_load(&turn) != me)
			sched_yield();
		atomic_store(&turn, !me); /* gate: here */
	}
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, player, &turn);
	player(NULL);
	pthread_join(t, NULL);
	printf("turn %d\n", atomic_load(&turn));
	return 0;
}
