/* A parent kills a child that hammers the trapped line: it may be stopped there at that moment. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long beats;

static void child(int out)
{
	for (;;) {
		beats++; /* gate: here */
		if (beats == 20 && write(out, "x", 1) != 1)
			_exit(1);
	}
}

int main(void)
{
	int killed = 0;
	for (int i = 0; i < 10; i++) {
		int fd[2], status;
		char c;
		if (pipe(fd))
			return 1;
		pid_t pid = fork();
		if (pid == 0)
			child(fd[1]);
		close(fd[1]);
		if (read(fd[0], &c, 1) != 1)
			return 2;
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		close(fd[0]);
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	}
	printf("killed %d\n", killed);
	return 0;
}
