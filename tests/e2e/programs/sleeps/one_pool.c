/* A pool with a thread for each processor, main one of them: with one processor the tasks run one after the other. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#ifndef SLEEP_US
#define SLEEP_US 100000
#endif
static int x, y;

static void *short_task(void *arg)
{
	__atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void long_task(void)
{
	usleep(SLEEP_US);
	y = 2;
}

int main(void)
{
	pthread_t helper;
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	if (CPU_COUNT(&set) > 1)
		pthread_create(&helper, NULL, short_task, NULL);
	long_task();
	if (CPU_COUNT(&set) > 1)
		pthread_join(helper, NULL);
	else
		short_task(NULL);
	return x != 1 || y != 2;
}
