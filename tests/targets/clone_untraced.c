/* A child that asks not to be traced has the program's own code, too. */
// arrivals: 5
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sched.h>

static volatile int met;
static char stack[65536];

__attribute__((noinline)) static void place(void)
{
	met++; /* gate: here */
}

static int child(void *arg)
{
	place();
	return *(int *)arg + met;
}

static void report(const char *how)
{
	int status;
	wait(&status);
	printf("%s: signal %d exit %d\n", how, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	       WEXITSTATUS(status));
}

int main(void)
{
	int n = 40;
	place();
	clone(child, stack + sizeof stack, CLONE_UNTRACED | SIGCHLD, &n);
	report("clone");
	if (syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, NULL, NULL, NULL, 0) == 0) {
		place();
		_exit(2);
	}
	report("by number");
	struct clone_args args = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD};
	if (syscall(SYS_clone3, &args, sizeof args) == 0) {
		place();
		_exit(3);
	}
	report("clone3");
	clone(child, stack + sizeof stack, CLONE_UNTRACED | CLONE_VM | SIGCHLD, &n);
	report("shared memory");
	return 0;
}
