/* Two processes and a stock in shared memory: looking and taking are each under a semaphore, but not together.
 * Both see the last piece before either takes it. */
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "bug.h"

static struct shared {
	sem_t lock;
	int stock;
} * shared;

static void buy(void)
{
	int left;

	sem_wait(&shared->lock);
	left = shared->stock;
	if (!FIXED) {
		sem_post(&shared->lock);
		sem_wait(&shared->lock);
	}
	if (left > 0)
		shared->stock--;
	sem_post(&shared->lock);
}

int main(void)
{
	pid_t child;
	int status;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	check(shared != MAP_FAILED, "no shared memory");
	sem_init(&shared->lock, 1, 1);
	shared->stock = 1;
	child = fork();
	buy();
	if (!child)
		_exit(0);
	check(waitpid(child, &status, 0) == child && status == 0, "the child failed");
	check(shared->stock == 0, "one piece was sold twice");
	return 0;
}
