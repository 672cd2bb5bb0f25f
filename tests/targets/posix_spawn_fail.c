/* A spawn that fails reports its errno through shared memory: the child dies without an exec. */
// arrivals: 2
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

int main(void)
{
	const char *none = "/no/such/file";
	char *argv[] = {"nothing", NULL};
	for (volatile int i = 0; i < 2; i++) {
		pid_t pid;
		int err = posix_spawn(&pid, none, NULL, NULL, argv, environ); /* gate: here */
		printf("err %s\n", strerror(err));
	}
	int left = waitpid(-1, NULL, 0);
	printf("children left: %s\n", left == -1 && errno == ECHILD ? "none" : "some");
	return 0;
}
