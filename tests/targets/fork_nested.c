/* Fork twenty deep: every process is the child of a traced child. */
// arrivals: 20
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

static int descend(int depth)
{
	if (depth == 20)
		return 0;
	steps++; /* gate: here */
	pid_t pid = fork();
	if (pid == 0)
		_exit(descend(depth + 1));
	int status;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status) + 1;
}

int main(void)
{
	printf("depth %d\n", descend(0));
	return 0;
}
