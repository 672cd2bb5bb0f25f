/* A function that begins with endbr64, reached by an indirect call, trapped at that. */
// trap: *trapped
// arrivals: 30
#include "insn.h"
#include <stdio.h>

int landing(int x);
asm(FUNC("landing") LABEL("trapped") "\tendbr64\n\tlea 4(%rdi), %eax\n\tret\n");

static int (*volatile pointer)(int) = landing;

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 30; i++)
		sum += pointer(i);
	printf("sum %d\n", sum);
	return 0;
}
