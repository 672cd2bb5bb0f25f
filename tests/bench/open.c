/*
 * One thread is held at a line, another opens it: the time from before the opener's line to behind
 * the held one's. With -DFLOOR both lines are an int3 for tests/bench/floor.c, which lets both go on
 * when the second has come.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t round_begins;
static volatile double opened_at;
static int rounds;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

#ifdef FLOOR
#define TRAP() __asm__ volatile("int3")
#else
#define TRAP() (void)0
#endif

static volatile int passed, opened;

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
