/* A rip-relative store while every register holds something: no register is free to borrow. */
// trap: *trapped
// arrivals: 20
#include "insn.h"
#include <stdio.h>

long all_live(void);
extern volatile long spot;
volatile long spot;
asm(FUNC(
	"all_live") "\tpush %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n"
		    "\tmov $1, %eax\n\tmov $2, %ebx\n\tmov $3, %ecx\n\tmov $4, %edx\n\tmov $5, "
		    "%esi\n"
		    "\tmov $6, %edi\n\tmov $7, %ebp\n\tmov $8, %r8d\n\tmov $9, %r9d\n\tmov $10, "
		    "%r10d\n"
		    "\tmov $11, %r11d\n\tmov $12, %r12d\n\tmov $13, %r13d\n\tmov $14, %r14d\n\tmov "
		    "$15, %r15d\n" LABEL(
			    "trapped") "\tmov %r15, spot(%rip)\n"
				       "\tadd %rbx, %rax\n\tadd %rcx, %rax\n\tadd %rdx, "
				       "%rax\n\tadd %rsi, %rax\n\tadd %rdi, %rax\n"
				       "\tadd %rbp, %rax\n\tadd %r8, %rax\n\tadd %r9, %rax\n\tadd "
				       "%r10, %rax\n\tadd %r11, %rax\n"
				       "\tadd %r12, %rax\n\tadd %r13, %rax\n\tadd %r14, "
				       "%rax\n\tadd %r15, %rax\n"
				       "\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop "
				       "%rbp\n\tpop %rbx\n\tret\n");

int main(void)
{
	int good = 0;
	for (int i = 0; i < 20; i++) {
		spot = 0;
		good += all_live() == 120 && spot == 15;
	}
	printf("good %d\n", good);
	return 0;
}
