/* A pidfd becomes readable when the child is gone, and signals it without its number. */
// arrivals: 1
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		for (;;)
			pause();
	}
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int before = poll(&p, 1, 0);
	syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0); /* gate: here */
	int after = poll(&p, 1, 5000);
	int status;
	waitpid(pid, &status, 0);
	printf("before %d after %d signal %d\n", before, after, WTERMSIG(status));
	return 0;
}
