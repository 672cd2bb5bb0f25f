/* longjmp out of the trapped line's callee, hundreds of times: the statement is left half-way. */
// arrivals: 300
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static volatile int jumps, returns;

static int leave(int n)
{
	if (n % 3)
		longjmp(back, n);
	return n;
}

int main(void)
{
	for (volatile int i = 0; i < 300; i++) {
		if (setjmp(back)) {
			jumps++;
			continue;
		}
		returns += leave(i) == i; /* gate: here */
	}
	printf("jumps %d returns %d\n", jumps, returns);
	return 0;
}
