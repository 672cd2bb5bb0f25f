/* A call through a register is trapped. */
// trap: *trapped
// arrivals: 60
#include "insn.h"
#include <stdio.h>

int apply(int (*f)(int), int x);
asm(FUNC("apply") "\tsub $8, %rsp\n\tmov %rdi, %rax\n\tmov %esi, %edi\n" LABEL(
	"trapped") "\tcall *%rax\n\tadd $8, %rsp\n\tret\n");

static int one(int x)
{
	return x + 1;
}

static int two(int x)
{
	return x + 2;
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 60; i++)
		sum += apply(i % 2 ? one : two, i);
	printf("sum %d\n", sum);
	return 0;
}
