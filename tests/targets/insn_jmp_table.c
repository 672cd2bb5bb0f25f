/* The indirect jump of a switch, through a table of offsets. */
// trap: *trapped
// arrivals: 60
#include "insn.h"
#include <stdio.h>

int pick(long n);
asm(FUNC("pick") "\tlea 9f(%rip), %rcx\n\tmovslq (%rcx,%rdi,4), %rax\n\tadd %rcx, %rax\n" LABEL(
	"trapped") "\tjmp *%rax\n"
		   "1:\tmov $10, %eax\n\tret\n2:\tmov $200, %eax\n\tret\n3:\tmov $3000, "
		   "%eax\n\tret\n"
		   ".section .rodata\n.balign 4\n9:\t.long 1b-9b, 2b-9b, 3b-9b\n.text\n");

int main(void)
{
	int sum = 0;
	for (long i = 0; i < 60; i++)
		sum += pick(i % 3);
	printf("sum %d\n", sum);
	return 0;
}
