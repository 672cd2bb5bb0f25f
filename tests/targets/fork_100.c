/* A hundred short children, each with its own copy of the traps, some dead before they are seen. */
// arrivals: 100
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			steps++; /* gate: here */
			_exit(steps + i);
		}
		int status;
		waitpid(pid, &status, 0);
		sum += WEXITSTATUS(status);
	}
	printf("sum %d, steps here %d\n", sum, steps);
	return 0;
}
