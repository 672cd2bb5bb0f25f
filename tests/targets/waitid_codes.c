/* waitid tells exits, kills and core dumps apart; the tracer sees each of them first. */
// arrivals: 3
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

static void child(int how)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	steps++; /* gate: here */
	if (how == 0)
		_exit(23);
	kill(getpid(), how);
	pause();
}

int main(void)
{
	int how[] = {0, SIGKILL, SIGTERM};
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		if (pid == 0)
			child(how[i]);
		siginfo_t si;
		waitid(P_PID, (id_t)pid, &si, WEXITED);
		printf("code %d status %d same pid %d\n", si.si_code, si.si_status,
		       si.si_pid == pid);
	}
	return 0;
}
