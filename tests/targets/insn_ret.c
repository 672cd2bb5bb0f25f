/* ret and ret $n are where FUNC%return stops: control goes where the stack says. */
// trap: *trapped
// arrivals: 80
#include "insn.h"
#include <stdio.h>

int plain(int x);
asm(FUNC("plain") "\tlea 1(%rdi), %eax\n" LABEL("trapped") "\tret\n");

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 80; i++)
		sum += plain(i);
	printf("sum %d\n", sum);
	return 0;
}
