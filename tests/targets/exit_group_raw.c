/* exit_group by a bare system call: no atexit, no destructors, threads die where they are. */
// arrivals: 1
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void never(void)
{
	if (write(1, "atexit ran\n", 11) < 0)
		_exit(98);
}

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(void)
{
	pthread_t t;
	atexit(never);
	pthread_create(&t, NULL, sleeper, NULL);
	syscall(SYS_exit_group, 17); /* gate: here */
	return 99;
}
