/* Two phases without a barrier between them: each thread writes its half, then reads the other's.
 * One is in its second phase while the other is still in its first. */
#include "bug.h"

static pthread_barrier_t between;
static volatile int half[2];
static const int ids[2] = {0, 1};

static void *compute(void *arg)
{
	int me = *(const int *)arg, sum;

	half[me] = 21;
	if (FIXED)
		pthread_barrier_wait(&between);
	sum = half[me] + half[1 - me];
	check(sum == 42, "half a sum");
	return NULL;
}

int main(void)
{
	pthread_barrier_init(&between, NULL, 2);
	start(compute, (void *)&ids[0]);
	start(compute, (void *)&ids[1]);
	join_all();
	return 0;
}
