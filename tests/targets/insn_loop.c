/* loop: it jumps back to itself, counts a register, and leaves the flags alone. */
// trap: *trapped
// arrivals: 100
#include "insn.h"
#include <stdio.h>

long looped(long n);
asm(FUNC("looped") "\tmov %rdi, %rcx\n\txor %eax, %eax\n\tstc\n" LABEL(
	"trapped") "\tloop trapped\n\tadc $0, %rax\n\tadd %rcx, %rax\n\tret\n");

int main(void)
{
	long sum = 0;
	for (int i = 0; i < 10; i++)
		sum += looped(10);
	printf("sum %ld\n", sum);
	return 0;
}
