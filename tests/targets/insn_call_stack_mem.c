/* A call through a pointer on the stack: the address is taken before the return address is pushed. */
// trap: *trapped
// arrivals: 60
#include "insn.h"
#include <stdio.h>

int apply(int (*f)(int), int x);
asm(FUNC("apply") "\tpush %rdi\n\tmov %esi, %edi\n" LABEL(
	"trapped") "\tcall *(%rsp)\n\tpop %rcx\n\tret\n");

static int one(int x)
{
	return x + 1;
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 60; i++)
		sum += apply(one, i);
	printf("sum %d\n", sum);
	return 0;
}
