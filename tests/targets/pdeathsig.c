/* PR_SET_PDEATHSIG: a grandchild is told when its parent, a traced process, has gone. */
// arrivals: 1
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

static void grandchild(int ready, int out)
{
	sigset_t set;
	int sig = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	if (write(ready, "r", 1) != 1)
		_exit(1);
	sigwait(&set, &sig);
	steps++; /* gate: here */
	if (write(out, sig == SIGUSR1 ? "U" : "?", 1) != 1)
		_exit(1);
	_exit(0);
}

int main(void)
{
	int ready[2], out[2];
	char c = 0;
	if (pipe(ready) || pipe(out))
		return 1;
	pid_t pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			grandchild(ready[1], out[1]);
		if (read(ready[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	if (read(out[0], &c, 1) != 1)
		return 2;
	printf("told by %c\n", c);
	return 0;
}
