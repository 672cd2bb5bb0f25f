/*
 * As open.c, but each round is at two lines of its own, so that a gate that opens once will do: what most tests have.
 */
#include "open.h"

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
