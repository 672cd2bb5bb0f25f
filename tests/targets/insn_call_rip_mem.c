/* A call through a pointer at a rip-relative address is trapped. */
// trap: *trapped
// arrivals: 60
#include "insn.h"
#include <stdio.h>

int apply(int x);
asm(FUNC("apply") "\tsub $8, %rsp\n" LABEL(
	"trapped") "\tcall *pointer(%rip)\n\tadd $8, %rsp\n\tret\n");

static int one(int x)
{
	return x + 1;
}

static int two(int x)
{
	return x + 2;
}

int (*volatile pointer)(int);

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 60; i++) {
		pointer = i % 2 ? one : two;
		sum += apply(i);
	}
	printf("sum %d\n", sum);
	return 0;
}
