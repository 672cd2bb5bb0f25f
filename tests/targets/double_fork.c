/* An orphan: its parent is gone while it still runs, and somebody reads what it writes. */
// arrivals: 1
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

static void orphan(pid_t parent, int out)
{
	while (getppid() == parent)
		usleep(1000);
	steps++; /* gate: here */
	if (write(out, "orphan", 6) != 6)
		_exit(1);
	_exit(0);
}

int main(void)
{
	int fd[2];
	if (pipe(fd))
		return 1;
	pid_t pid = fork();
	if (pid == 0) {
		pid_t self = getpid();
		if (fork() == 0)
			orphan(self, fd[1]);
		_exit(2);
	}
	close(fd[1]);
	int status;
	waitpid(pid, &status, 0);
	char buf[16] = "";
	ssize_t n = read(fd[0], buf, sizeof buf - 1);
	printf("middle exit %d, read %zd: %s\n", WEXITSTATUS(status), n, buf);
	n = read(fd[0], buf, sizeof buf);
	printf("end %zd\n", n);
	return 0;
}
