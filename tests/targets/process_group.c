/* A group of its own, killed as a whole by one kill(-pgid). */
// arrivals: 4
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

static void member(int out)
{
	steps++; /* gate: here */
	if (write(out, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

int main(void)
{
	int fd[2], signals = 0;
	pid_t pgid = 0;
	if (pipe(fd))
		return 1;
	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			setpgid(0, pgid);
			member(fd[1]);
		}
		setpgid(pid, pgid);
		if (!pgid)
			pgid = pid;
		char c;
		if (read(fd[0], &c, 1) != 1)
			return 2;
	}
	kill(-pgid, SIGUSR1);
	for (int i = 0; i < 4; i++) {
		int status;
		wait(&status);
		signals += WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1;
	}
	printf("killed %d\n", signals);
	return 0;
}
