/* posix_spawn is a CLONE_VM|CLONE_VFORK child with a stack of its own and all signals blocked. */
// arrivals: 3
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int steps;

int main(void)
{
	char *argv[] = {"sh", "-c", "echo spawned; exit 3", NULL};
	for (int i = 0; i < 3; i++) {
		pid_t pid;
		steps++; /* gate: here */
		int err = posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ);
		int status = 0;
		waitpid(pid, &status, 0);
		printf("err %d exit %d\n", err, WEXITSTATUS(status));
		fflush(stdout);
	}
	return 0;
}
