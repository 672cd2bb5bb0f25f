/* jrcxz is trapped: a jump that has no long form. */
// trap: *trapped
// arrivals: 40
#include "insn.h"
#include <stdio.h>

int zero(long n);
asm(FUNC("zero") "\tmov %rdi, %rcx\n\tmov $1, %eax\n" LABEL(
	"trapped") "\tjrcxz 1f\n\txor %eax, %eax\n1:\tret\n");

int main(void)
{
	int sum = 0;
	for (long i = 0; i < 40; i++)
		sum += zero(i % 5);
	printf("sum %d\n", sum);
	return 0;
}
