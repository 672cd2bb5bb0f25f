/* Linked at a fixed low address: absolute jumps and calls, 32-bit addresses in instructions. */
// flags: -no-pie -fno-pie
// arrivals: 50
#include <stdio.h>

static volatile int table[4];

static int twice(int x)
{
	return 2 * x;
}

static int (*volatile call)(int) = twice;

int main(void)
{
	for (int i = 0; i < 50; i++)
		table[i % 4] += call(i); /* gate: here */
	printf("%d %d %d %d\n", table[0], table[1], table[2], table[3]);
	return 0;
}
