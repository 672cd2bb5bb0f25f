/* push is trapped in a function that uses what is below the stack just before. */
// trap: *trapped
// arrivals: 100
#include "insn.h"
#include <stdio.h>

long keeps(long x);
asm(FUNC("keeps") "\tmov %rdi, -64(%rsp)\n\tmov %rdi, -128(%rsp)\n" LABEL(
	"trapped") "\tpush %rdi\n\tmov -56(%rsp), %rax\n\tadd -120(%rsp), %rax\n\tadd (%rsp), "
		   "%rax\n\tpop %rcx\n\tret\n");

int main(void)
{
	long sum = 0;
	for (long i = 0; i < 100; i++)
		sum += keeps(i);
	printf("sum %ld\n", sum);
	return 0;
}
