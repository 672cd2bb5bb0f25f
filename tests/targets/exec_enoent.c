/* A failing execve must leave everything as it was: traps, threads, signal handlers. */
// arrivals: 30
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static volatile int steps;

int main(void)
{
	char *argv[] = {"x", NULL};
	int failed = 0;
	for (int i = 0; i < 30; i++) {
		execv("/no/such/program", argv);
		failed += errno == ENOENT;
		steps++; /* gate: here */
	}
	printf("failed %d, steps %d\n", failed, steps);
	return 3;
}
