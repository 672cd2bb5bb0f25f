/*
 * One thread is held at a line, another opens it: the time from before the opener's line to behind
 * the held one's. With -DFLOOR both lines are an int3 for tests/bench/floor.c, which lets both go on
 * when the second has come.
 */
#include "open.h"

#include <stdlib.h>

static int rounds;

static void *waiter(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&round_begins);
		TRAP();
		passed++; /* gate: held */
		printf("%.3f\n", now() - opened_at);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	rounds = argc > 1 ? atoi(argv[1]) : 200;
	pthread_barrier_init(&round_begins, NULL, 2);
	pthread_create(&thread, NULL, waiter, NULL);
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&round_begins);
		usleep(500); /* the other one is held by then; if not the sample is too good, not too bad */
		opened_at = now();
		TRAP();
		opened++; /* gate: opens */
	}
	pthread_join(thread, NULL);
	return 0;
}
