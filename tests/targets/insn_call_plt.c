/* A call through the PLT, and a lazily bound one at that: the resolver looks at the stack. */
// flags: -Wl,-z,lazy -fplt
// trap: *trapped
// arrivals: 20
#include "insn.h"
#include <stdio.h>
#include <stdlib.h>

int magnitude(int x);
asm(FUNC("magnitude") "\tsub $8, %rsp\n" LABEL(
	"trapped") "\tcall abs@PLT\n\tadd $8, %rsp\n\tret\n");

int main(void)
{
	int sum = 0;
	for (int i = -10; i < 10; i++)
		sum += magnitude(i);
	printf("sum %d %d\n", sum, abs(-sum));
	return 0;
}
