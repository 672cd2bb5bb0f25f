/* A fork by a thread that is not the first: in the child it becomes the only and the main thread. */
// arrivals: 2
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

static void *forker(void *arg)
{
	pid_t pid = fork();
	steps++; /* gate: here */
	if (pid == 0)
		_exit(getpid() == (pid_t)syscall(SYS_gettid) ? 11 : 12);
	waitpid(pid, arg, 0);
	return NULL;
}

int main(void)
{
	pthread_t t;
	int status = 0;
	pthread_create(&t, NULL, forker, &status);
	pthread_join(t, NULL);
	printf("child %d, steps %d\n", WEXITSTATUS(status), steps);
	return 0;
}
