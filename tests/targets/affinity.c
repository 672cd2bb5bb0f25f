/* The CPU set is what programs size their thread pools by: it must be the inherited one. */
// arrivals: 1
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	cpu_set_t set;
	sched_getaffinity(0, sizeof set, &set);
	int policy = sched_getscheduler(0); /* gate: here */
	printf("cpus %d online %ld policy %d\n", CPU_COUNT(&set), sysconf(_SC_NPROCESSORS_ONLN),
	       policy);
	return 0;
}
