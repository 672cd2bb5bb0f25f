/* The program executes itself twenty times: sites are resolved anew for every image. */
// arrivals: 21
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int steps;

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 20;
	steps += n; /* gate: here */
	if (n == 0) {
		printf("end of the chain\n");
		return 20;
	}
	char next[16];
	snprintf(next, sizeof next, "%d", n - 1);
	execl("/proc/self/exe", argv[0], next, (char *)NULL);
	return 99;
}
