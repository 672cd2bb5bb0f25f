/* One line that the compiler puts into two places of one function: a branch each. */
// arrivals: 100
#include <stdio.h>

static volatile int a, b;

int main(void)
{
	for (int i = 0; i < 100; i++) {
		/* clang-format off */
		if (i % 3 == 0) a += i; else b += i; /* gate: here */
		/* clang-format on */
	}
	printf("%d %d\n", a, b);
	return 0;
}
