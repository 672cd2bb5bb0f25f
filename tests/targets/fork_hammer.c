/* Forks while three threads hammer the trapped line: some are inside the trap when memory is copied. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int stop;
static volatile long beats[4];

static void *hammer(void *arg)
{
	volatile long *n = arg;
	do
		(*n)++; /* gate: here */
	while (!atomic_load(&stop));
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	int good = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, hammer, (void *)&beats[i]);
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			atomic_store(&stop, 1);
			hammer((void *)&beats[3]);
			_exit(beats[3] == 1 ? 42 : 43);
		}
		int status;
		waitpid(pid, &status, 0);
		good += WEXITSTATUS(status) == 42;
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("good %d\n", good);
	return 0;
}
