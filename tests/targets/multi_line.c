/* A statement over several lines with calls in it: control comes back to its first line. */
// arrivals: 50
#include <stdio.h>

static volatile int calls;

__attribute__((noinline)) static int f(int x)
{
	calls++;
	return x + 1;
}

__attribute__((noinline)) static int three(int a, int b, int c)
{
	return a * 100 + b * 10 + c;
}

int main(void)
{
	long sum = 0;
	for (int i = 0; i < 50; i++) {
		sum += three(f(i), /* gate: here */
			     f(i + 1), f(i + 2));
	}
	printf("sum %ld calls %d\n", sum, calls);
	return 0;
}
