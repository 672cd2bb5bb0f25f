/*
 * As open.c, but each round is at two lines of its own, so that a gate that opens once will do: what most tests have.
 */
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

/* clang-format off */
#define BEGIN()	pthread_barrier_wait(&round_begins); TRAP();
#define END()	printf("%.3f\n", now() - opened_at);
#define MOMENT() pthread_barrier_wait(&round_begins); usleep(500); opened_at = now(); TRAP();

static void *waiter(void *arg)
{
	BEGIN()
	passed++; /* gate: held1 */
	END()
	BEGIN()
	passed++; /* gate: held2 */
	END()
	BEGIN()
	passed++; /* gate: held3 */
	END()
	BEGIN()
	passed++; /* gate: held4 */
	END()
	BEGIN()
	passed++; /* gate: held5 */
	END()
	BEGIN()
	passed++; /* gate: held6 */
	END()
	BEGIN()
	passed++; /* gate: held7 */
	END()
	BEGIN()
	passed++; /* gate: held8 */
	END()
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&round_begins, NULL, 2);
	pthread_create(&thread, NULL, waiter, NULL);
	MOMENT()
	opened++; /* gate: opens1 */
	MOMENT()
	opened++; /* gate: opens2 */
	MOMENT()
	opened++; /* gate: opens3 */
	MOMENT()
	opened++; /* gate: opens4 */
	MOMENT()
	opened++; /* gate: opens5 */
	MOMENT()
	opened++; /* gate: opens6 */
	MOMENT()
	opened++; /* gate: opens7 */
	MOMENT()
	opened++; /* gate: opens8 */
	pthread_join(thread, NULL);
	return 0;
}
