/* An instruction of fifteen bytes is trapped. */
// trap: *trapped
// arrivals: 30
#include "insn.h"
#include <stdio.h>

int longest(int x);
asm(FUNC("longest") "\tmov %edi, %eax\n" LABEL(
	"trapped") "\t.byte 0x66,0x66,0x66,0x66,0x66,0x2e,0x66,0x0f,0x1f,0x84,0,0,2,0,0\n\tinc "
		   "%eax\n\tret\n");

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 30; i++)
		sum += longest(i);
	printf("sum %d\n", sum);
	return 0;
}
