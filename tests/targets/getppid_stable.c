/* getppid is the same all along, and a child's parent is the forker, not the tracer. */
// arrivals: 20
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	pid_t first = getppid(), self = getpid();
	int same = 0, mine = 0;
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t pid = fork(); /* gate: here */
		if (pid == 0)
			_exit(getppid() == self);
		waitpid(pid, &status, 0);
		mine += WEXITSTATUS(status);
		same += getppid() == first;
	}
	printf("same %d mine %d leader %d\n", same, mine, getpgrp() == getpgid(first));
	return 0;
}
