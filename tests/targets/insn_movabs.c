/* movabs with an absolute 64-bit address in the instruction is trapped. */
// flags: -no-pie -fno-pie
// trap: *trapped
// arrivals: 20
#include "insn.h"
#include <stdio.h>

long absolute(void);
volatile long far_word = 9;
asm(FUNC("absolute") LABEL("trapped") "\tmovabs far_word, %rax\n\tret\n");

int main(void)
{
	long sum = 0;
	for (int i = 0; i < 20; i++)
		sum += absolute();
	printf("sum %ld\n", sum);
	return 0;
}
