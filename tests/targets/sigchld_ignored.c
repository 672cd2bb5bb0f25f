/* SIGCHLD ignored: children reap themselves, wait blocks until all are gone and says ECHILD. */
// arrivals: 5
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

int main(void)
{
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < 5; i++) {
		if (fork() == 0) {
			steps++; /* gate: here */
			_exit(1);
		}
	}
	pid_t pid = wait(NULL);
	printf("wait %d %d\n", pid, errno == ECHILD);
	return 0;
}
