/* popf is trapped: what it sets must stand afterwards. */
// trap: *trapped
// arrivals: 100
#include "insn.h"
#include <stdio.h>

int carry(long flags);
asm(FUNC("carry") "\txor %eax, %eax\n\tpush %rdi\n" LABEL(
	"trapped") "\tpopf\n\tadc $0, %eax\n\tret\n");

int main(void)
{
	int sum = 0;
	for (long i = 0; i < 100; i++)
		sum += carry(0x202 | (i % 3 == 0));
	printf("sum %d\n", sum);
	return 0;
}
