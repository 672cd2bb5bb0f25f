/* leave is trapped: rsp comes from rbp. */
// trap: *trapped
// arrivals: 50
#include "insn.h"
#include <stdio.h>

long framed(long x);
asm(FUNC("framed") "\tpush %rbp\n\tmov %rsp, %rbp\n\tsub $96, %rsp\n\tmov %rdi, -8(%rbp)\n\tmov "
		   "-8(%rbp), %rax\n" LABEL("trapped") "\tleave\n\tret\n");

int main(void)
{
	long sum = 0;
	for (long i = 0; i < 50; i++)
		sum += framed(i);
	printf("sum %ld\n", sum);
	return 0;
}
