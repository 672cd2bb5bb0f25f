/* Rip-relative operand with an immediate behind it: the displacement counts from the end of both. */
// trap: *trapped
// arrivals: 40
#include "insn.h"
#include <stdio.h>

int compare(void);
extern volatile int value;
volatile int value;
asm(FUNC("compare") "\txor %eax, %eax\n" LABEL(
	"trapped") "\tcmpl $0x12345678, value(%rip)\n\tsete %al\n\tret\n");

int main(void)
{
	int equal = 0;
	for (int i = 0; i < 40; i++) {
		value = i % 4 ? i : 0x12345678;
		equal += compare();
	}
	printf("equal %d\n", equal);
	return 0;
}
