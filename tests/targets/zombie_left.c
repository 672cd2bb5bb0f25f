/* A child is dead but never waited for when its parent ends. */
// arrivals: 1
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

int main(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		steps++; /* gate: here */
		_exit(9);
	}
	siginfo_t si;
	waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT);
	printf("left a zombie of status %d\n", si.si_status);
	return 0;
}
