/* A direct call is trapped: the return address pushed is the original one. */
// trap: *trapped
// arrivals: 100
#include "insn.h"
#include <stdio.h>

long caller(void);
extern char behind[];
asm(FUNC("callee") "\tmov (%rsp), %rax\n\tret\n" FUNC("caller")
	    LABEL("trapped") "\tcall callee\n" LABEL("behind") "\tret\n");

int main(void)
{
	int good = 0;
	for (int i = 0; i < 100; i++)
		good += caller() == (long)behind;
	printf("good %d\n", good);
	return 0;
}
