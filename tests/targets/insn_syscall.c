/* The system call instruction itself is trapped: rcx must be the pc behind it, and results stand. */
// trap: *trapped
// arrivals: 100
#include "insn.h"
#include <stdio.h>
#include <unistd.h>

long call_getpid(long *rcx);
extern char behind[];
asm(FUNC("call_getpid") "\tmov $39, %eax\n" LABEL("trapped") "\tsyscall\n" LABEL(
	"behind") "\tmov %rcx, (%rdi)\n\tret\n");

int main(void)
{
	int good = 0, right_rcx = 0;
	for (int i = 0; i < 100; i++) {
		long rcx = 0;
		good += call_getpid(&rcx) == getpid();
		right_rcx += rcx == (long)behind;
	}
	printf("good %d rcx %d\n", good, right_rcx);
	return 0;
}
