/* Missed join: main uses the result of a thread that it does not wait for.
 * Main is there first. */
#include "bug.h"

static _Atomic int result;

static void *compute(void *arg)
{
	result = 42;
	return arg;
}

int main(void)
{
	pthread_t worker = start(compute, NULL);

	give_time();
	if (FIXED)
		pthread_join(worker, NULL);
	check(result == 42, "no result yet");
	return 0;
}
