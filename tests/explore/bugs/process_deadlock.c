/* Two processes, two semaphores in shared memory, taken in opposite orders.
 * Each has its first before either asks for its second; the parent never gets to wait for its child. */
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "bug.h"

static void use_both(sem_t *first, sem_t *second)
{
	sem_wait(first);
	sem_wait(second);
	sem_post(second);
	sem_post(first);
}

int main(void)
{
	sem_t *files = mmap(NULL, 2 * sizeof(*files), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int status;

	check(files != MAP_FAILED, "no shared memory");
	sem_init(&files[0], 1, 1);
	sem_init(&files[1], 1, 1);
	child = fork();
	if (!child) {
		use_both(&files[FIXED ? 0 : 1], &files[FIXED ? 1 : 0]);
		_exit(0);
	}
	use_both(&files[0], &files[1]);
	check(waitpid(child, &status, 0) == child && status == 0, "the child failed");
	return 0;
}
