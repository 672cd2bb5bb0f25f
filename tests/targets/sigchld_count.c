/* SIGCHLD: exactly one for each child, none for the stops that only the tracer knows. */
// arrivals: 10
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int count;

static void on_child(int sig)
{
	(void)sig;
	count++; /* gate: here */
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_child};
	sigset_t block, old;
	sigaction(SIGCHLD, &sa, NULL);
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &old);
	for (int i = 0; i < 10; i++) {
		if (fork() == 0)
			_exit(0);
		while (count <= i)
			sigsuspend(&old);
		wait(NULL);
	}
	printf("count %d\n", count);
	return 0;
}
