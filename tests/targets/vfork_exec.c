/* After vfork the child runs in its parent's memory: a trap hit there is hit in shared pages. */
// arrivals: 5
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

int main(void)
{
	for (int i = 0; i < 5; i++) {
		pid_t pid = vfork();
		if (pid == 0) {
			steps++; /* gate: here */
			execl("/bin/true", "true", (char *)NULL);
			_exit(99);
		}
		int status = -1;
		waitpid(pid, &status, 0);
		printf("child %d status %d steps %d\n", i, status, steps);
	}
	return 0;
}
