/* Calls in tail position: jumps when optimised, frames when not; both come out the same. */
// arrivals: 1000
#include <stdio.h>

static volatile long sum;

static int odd(int n);

static int even(int n)
{
	sum += n; /* gate: here */
	return n == 0 ? 1 : odd(n - 1);
}

static int odd(int n)
{
	return n == 0 ? 0 : even(n - 1);
}

int main(void)
{
	int r = odd(1999);
	printf("odd %d sum %ld\n", r, sum);
	return 0;
}
