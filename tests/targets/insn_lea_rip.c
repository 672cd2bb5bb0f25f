/* lea of a rip-relative address is trapped: the address is the program's, not the copy's. */
// trap: *trapped
// arrivals: 20
#include "insn.h"
#include <stdio.h>

char *where(void);
extern char place[];
char place[64];
asm(FUNC("where") LABEL("trapped") "\tlea place+7(%rip), %rax\n\tret\n");

int main(void)
{
	int good = 0;
	for (int i = 0; i < 20; i++)
		good += where() == place + 7;
	printf("good %d\n", good);
	return 0;
}
