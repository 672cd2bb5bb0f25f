/* A two-byte jump is trapped; a five-byte patch would run over the next instruction. */
// trap: *trapped
// arrivals: 50
#include "insn.h"
#include <stdio.h>

int hop(int x);
asm(FUNC("hop") "\tmov %edi, %eax\n" LABEL(
	"trapped") "\tjmp 2f\n1:\tinc %eax\n\tret\n2:\tadd $10, %eax\n\tjmp 1b\n");

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 50; i++)
		sum += hop(i);
	printf("sum %d\n", sum);
	return 0;
}
