/* pushf is trapped: the trap flag of a tracer that steps must not be in what it pushes. */
// trap: *trapped
// arrivals: 100
#include "insn.h"
#include <stdio.h>

unsigned long pushed(void);
asm(FUNC("pushed") LABEL("trapped") "\tpushf\n\tpop %rax\n\tret\n");

int main(void)
{
	int leaked = 0;
	for (int i = 0; i < 100; i++)
		leaked += (pushed() & 0x100) != 0;
	printf("leaked %d\n", leaked);
	return 0;
}
