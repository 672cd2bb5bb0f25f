/* sigsuspend: mask swapped and put back around one signal, sent by a child. */
// arrivals: 10
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int seen;

static void on_usr1(int sig)
{
	(void)sig;
	seen++; /* gate: here */
}

int main(void)
{
	sigset_t block, old, now;
	int blocked = 0;
	signal(SIGUSR1, on_usr1);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigprocmask(SIG_BLOCK, &block, &old);
	for (int i = 0; i < 10; i++) {
		if (fork() == 0)
			_exit(kill(getppid(), SIGUSR1) ? 1 : 0);
		while (seen <= i)
			sigsuspend(&old);
		wait(NULL);
		sigprocmask(SIG_BLOCK, NULL, &now);
		blocked += sigismember(&now, SIGUSR1);
	}
	printf("seen %d blocked again %d\n", seen, blocked);
	return 0;
}
