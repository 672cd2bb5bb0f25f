/* CLONE_VM without CLONE_THREAD: two processes, one address space, and only one set of traps. */
// arrivals: 200
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static _Alignas(16) char stack[65536];
static volatile int steps[2];

static void count(volatile int *n)
{
	for (int i = 0; i < 100; i++)
		(*n)++; /* gate: here */
}

static int body(void *arg)
{
	count(arg);
	return 5;
}

int main(void)
{
	pid_t pid = clone(body, stack + sizeof stack, CLONE_VM | SIGCHLD, (void *)&steps[1]);
	count(&steps[0]);
	int status;
	waitpid(pid, &status, 0);
	printf("exit %d, steps %d %d\n", WEXITSTATUS(status), steps[0], steps[1]);
	return 0;
}
