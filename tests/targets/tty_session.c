/* The program moves to the background and to the foreground again: SIGTTOU and friends. */
// pty: yes
// arrivals: 1
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		int before = tcgetpgrp(0) == getpgrp();
		tcsetpgrp(0, getpgrp()); /* stopped by SIGTTOU, continued in the foreground */
		int after = tcgetpgrp(0) == getpgrp();
		_exit(before * 2 + after);
	}
	int status;
	waitpid(pid, &status, WUNTRACED);
	printf("stopped %d by SIGTTOU %d\n", WIFSTOPPED(status), WSTOPSIG(status) == SIGTTOU);
	tcsetpgrp(0, pid); /* gate: here */
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(0, getpgrp());
	printf("exit %d\n", WEXITSTATUS(status));
	return 0;
}
