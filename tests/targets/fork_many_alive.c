/* Forty children alive at once, all at the trapped line together, reaped in any order. */
// arrivals: 400
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 40; i++) {
		if (fork() == 0) {
			for (int k = 0; k < 10; k++)
				steps++; /* gate: here */
			_exit(steps);
		}
	}
	int status;
	while (wait(&status) > 0)
		sum += WEXITSTATUS(status);
	printf("sum %d\n", sum);
	return 0;
}
