/* ret with an operand takes the arguments off the stack as well. */
// trap: *trapped
// arrivals: 40
#include "insn.h"
#include <stdio.h>

int outer(int x);
asm(FUNC("inner") "\tmov 8(%rsp), %rax\n\tadd 16(%rsp), %rax\n" LABEL("trapped") "\tret $16\n" FUNC(
	"outer") "\tpush %rdi\n\tpush $5\n\tcall inner\n\tret\n");

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 40; i++)
		sum += outer(i);
	printf("sum %d\n", sum);
	return 0;
}
