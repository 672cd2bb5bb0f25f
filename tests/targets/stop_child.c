/* A child stops itself; its parent sees the stop and the continuation through waitpid. */
// arrivals: 1
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

int main(void)
{
	int go[2], status;
	char c;
	if (pipe(go))
		return 1;
	pid_t pid = fork();
	if (pid == 0) {
		steps++; /* gate: here */
		raise(SIGSTOP);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		raise(SIGTSTP);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(12);
	}
	for (int i = 0; i < 2; i++) {
		waitpid(pid, &status, WUNTRACED);
		printf("stopped %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status));
		kill(pid, SIGCONT);
		waitpid(pid, &status, WCONTINUED);
		printf("continued %d\n", WIFCONTINUED(status));
		if (write(go[1], "g", 1) != 1)
			return 1;
	}
	waitpid(pid, &status, 0);
	printf("exit %d\n", WEXITSTATUS(status));
	return 0;
}
