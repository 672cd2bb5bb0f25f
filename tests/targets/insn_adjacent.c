/* Two branches meet right behind the trapped one-byte instruction: only its own byte may change. */
// trap: *trapped
// arrivals: 50
#include "insn.h"
#include <stdio.h>

int meet(int x);
asm(FUNC("meet") "\tmov %edi, %eax\n\ttest $1, %dil\n\tjnz 1f\n" LABEL(
	"trapped") "\tnop\n1:\tadd $3, %eax\n\tret\n");

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += meet(i);
	printf("sum %d\n", sum);
	return 0;
}
