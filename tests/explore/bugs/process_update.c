/* Two processes and a counter in shared memory, without a lock.
 * Both read it before either writes it. The twin has a mutex that processes share. */
#include <sys/mman.h>
#include <sys/wait.h>
#include "bug.h"

static struct shared {
	pthread_mutex_t lock;
	volatile int tickets, last[3];
} * shared;

static void take(int who)
{
	int ticket;

	if (FIXED)
		pthread_mutex_lock(&shared->lock);
	ticket = shared->tickets;
	shared->last[ticket] = who;
	shared->tickets = ticket + 1;
	if (FIXED)
		pthread_mutex_unlock(&shared->lock);
}

int main(void)
{
	pthread_mutexattr_t between_processes;
	pid_t child;
	int status;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	check(shared != MAP_FAILED, "no shared memory");
	pthread_mutexattr_init(&between_processes);
	pthread_mutexattr_setpshared(&between_processes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &between_processes);
	child = fork();
	take(child ? 1 : 2);
	if (!child)
		_exit(0);
	check(waitpid(child, &status, 0) == child && status == 0, "the child failed");
	check(shared->tickets == 2, "a ticket was given twice");
	return 0;
}
