/* system(3): SIGINT and SIGQUIT ignored and SIGCHLD blocked around a shell that makes children. */
// arrivals: 2
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void)
{
	const char *commands[] = {"echo one; exit 4", "(echo two; exit 5) | cat; kill -9 $$"};
	for (int i = 0; i < 2; i++) {
		int status = system(commands[i]); /* gate: here */
		printf("exited %d code %d signal %d\n", WIFEXITED(status), WEXITSTATUS(status),
		       WTERMSIG(status));
		fflush(stdout);
	}
	return 0;
}
