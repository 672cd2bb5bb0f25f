/* T threads execute one line N times each; with -DFLOOR the line is an int3 of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long n;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *work(void *arg)
{
	volatile long sum = 0;

	for (long i = 0; i < n; i++) {
#ifdef FLOOR
		__asm__ volatile("int3");
#endif
		sum = sum + i; /* gate: line */
	}
	return arg;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t threads[16];
	double start;

	n = atol(argv[1]);
	start = now();
	for (int i = 1; i < count; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	work(NULL);
	for (int i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%.9f\n", now() - start);
	return 0;
}
