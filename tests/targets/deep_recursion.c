/* A hundred thousand frames on the stack when the trapped line is reached. */
// arrivals: 1
#include <stdio.h>

static volatile int reached;

static long descend(long n)
{
	volatile long here = n;
	if (n == 0) {
		reached++; /* gate: here */
		return 0;
	}
	return descend(n - 1) + (here & 1);
}

int main(void)
{
	long odd = descend(100000);
	printf("odd %ld reached %d\n", odd, reached);
	return 0;
}
