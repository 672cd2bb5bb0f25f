/* What open.c and open_once.c have in common. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t round_begins;
static volatile double opened_at;
static volatile int passed, opened;

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
