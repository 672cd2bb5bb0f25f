/* Semaphores in shared memory between two processes: the waker is not in the waiter's process. */
// arrivals: 200
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct table {
	sem_t ping, pong;
	volatile int n;
};

static void play(struct table *t, sem_t *mine, sem_t *theirs)
{
	for (int i = 0; i < 100; i++) {
		while (sem_wait(mine))
			;
		t->n++; /* gate: here */
		sem_post(theirs);
	}
}

int main(void)
{
	struct table *t =
		mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(&t->ping, 1, 1);
	sem_init(&t->pong, 1, 0);
	pid_t pid = fork();
	if (pid == 0) {
		play(t, &t->pong, &t->ping);
		_exit(0);
	}
	play(t, &t->ping, &t->pong);
	waitpid(pid, NULL, 0);
	printf("n %d\n", t->n);
	return 0;
}
