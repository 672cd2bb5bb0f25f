/* The first process of a PID namespace makes a fault: it ends by that. */
// arrivals: 6
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int met, zero;

__attribute__((noinline)) static void place(void)
{
	met++; /* gate: here */
}

static void on_fpe(int sig)
{
	(void)sig;
	_exit(7);
}

static void fault(int which)
{
	place();
	switch (which) {
	case 0:
		*(volatile int *)8 = 1;
		break;
	case 1:
		asm volatile("ud2");
		break;
	case 2:
		asm volatile("int3");
		break;
	case 3:
		abort();
	case 4:
		signal(SIGFPE, on_fpe);
		asm volatile("xorl %%edx, %%edx; idivl %0" ::"m"(zero) : "eax", "edx");
		break;
	case 5:
		raise(SIGTERM); /* that one is not for it */
		_exit(9);
	}
}

int main(void)
{
	struct rlimit none = {0, 0};
	int status;
	setrlimit(RLIMIT_CORE, &none);
	for (int i = 0; i < 6; i++) {
		pid_t helper = fork();
		if (helper == 0) {
			if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID)) {
				place(); /* it is not permitted here */
				_exit(0);
			}
			if (fork() == 0)
				fault(i);
			wait(&status);
			_exit(WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status));
		}
		waitpid(helper, &status, 0);
		printf("%d: %d\n", i, WEXITSTATUS(status));
	}
	return 0;
}
