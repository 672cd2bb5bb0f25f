/* A vfork child ends by _exit: the parent's memory must keep its traps, the parent must go on. */
// arrivals: 10
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

static void step(void)
{
	steps++; /* gate: here */
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		pid_t pid = vfork();
		if (pid == 0) {
			step();
			_exit(i);
		}
		int status;
		waitpid(pid, &status, 0);
		step();
		printf("child exit %d steps %d\n", WEXITSTATUS(status), steps);
	}
	return 0;
}
