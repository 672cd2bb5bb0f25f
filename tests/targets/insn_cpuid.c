/* cpuid is trapped, an instruction that some hosts take a fault for. */
// trap: *trapped
// arrivals: 30
#include "insn.h"
#include <stdio.h>

unsigned leaf0(void);
asm(FUNC("leaf0") "\tpush %rbx\n\txor %eax, %eax\n\txor %ecx, %ecx\n" LABEL(
	"trapped") "\tcpuid\n\tmov %ebx, %eax\n\tpop %rbx\n\tret\n");

int main(void)
{
	unsigned first = leaf0();
	int same = 0;
	for (int i = 0; i < 29; i++)
		same += leaf0() == first;
	printf("same %d\n", same);
	return 0;
}
