/* The trapped instruction is a conditional jump: the flags set before it must survive the trap. */
// trap: *trapped
// arrivals: 1000
#include "insn.h"
#include <stdio.h>

int is_zero(long x);
asm(FUNC("is_zero") "\txor %eax, %eax\n\ttest %rdi, %rdi\n" LABEL(
	"trapped") "\tjnz 1f\n\tinc %eax\n1:\tret\n");

int main(void)
{
	int zero = 0;
	for (long i = 0; i < 1000; i++)
		zero += is_zero(i % 4);
	printf("zero %d\n", zero);
	return 0;
}
