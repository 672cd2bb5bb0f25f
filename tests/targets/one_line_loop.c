/* A whole loop on one line: the statement is entered once a call however often it goes round. */
#include <stdio.h>

static volatile int n;

__attribute__((noinline)) static void spin(int k)
{
	/* clang-format off */
	for (int i = 0; i < k; i++) n++; /* gate: here */
	/* clang-format on */
}

int main(void)
{
	for (int i = 0; i < 20; i++)
		spin(10);
	printf("n %d\n", n);
	return 0;
}
