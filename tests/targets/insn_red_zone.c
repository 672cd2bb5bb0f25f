/* A leaf function keeps its values below the stack pointer: nothing may be pushed there. */
// trap: *trapped
// arrivals: 100
#include "insn.h"
#include <stdio.h>

long leaf(long x);
asm(FUNC("leaf") ".irp n,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16\n\tmov %rdi, "
		 "-8*\\n(%rsp)\n.endr\n" LABEL(
			 "trapped") "\tmov -128(%rsp), %rax\n"
				    ".irp n,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tadd "
				    "-8*\\n(%rsp), %rax\n.endr\n\tret\n");

int main(void)
{
	long sum = 0;
	for (long i = 0; i < 100; i++)
		sum += leaf(i);
	printf("sum %ld\n", sum);
	return 0;
}
