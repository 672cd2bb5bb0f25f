/* SIGTRAP is ignored while gates are met: it stays so, for the program and for what it execs. */
// arrivals: 6
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int met;

__attribute__((noinline)) static void place(void)
{
	met++; /* gate: here */
}

int main(void)
{
	struct sigaction old;
	signal(SIGTRAP, SIG_IGN);
	place();
	raise(SIGTRAP);
	place();
	place();
	kill(getpid(), SIGTRAP);
	sigaction(SIGTRAP, NULL, &old);
	printf("met %d ignored %d\n", met, old.sa_handler == SIG_IGN);
	fflush(stdout);
	place();
	if (fork() == 0) {
		place();
		raise(SIGTRAP);
		execlp("grep", "grep", "SigIgn", "/proc/self/status", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
	place();
	raise(SIGTRAP);
	printf("system %d\n", system("kill -TRAP $$"));
	signal(SIGTRAP, SIG_DFL);
	sigaction(SIGTRAP, NULL, &old);
	printf("default %d\n", old.sa_handler == SIG_DFL);
	return 0;
}
