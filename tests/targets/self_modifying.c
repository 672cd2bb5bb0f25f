/* Code rewritten in place between calls, in the very page range where traps may lie. */
// arrivals: 50
#include "insn.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

int answer(void);
extern unsigned char answer_value[];
asm(FUNC("answer") "\t.byte 0xb8\n" LABEL("answer_value") "\t.long 1\n\tret\n");

static volatile int sum;

int main(void)
{
	uintptr_t page = (uintptr_t)answer_value & ~4095ul;
	mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (int i = 0; i < 50; i++) {
		*(volatile unsigned char *)answer_value = (unsigned char)i;
		sum += answer(); /* gate: here */
	}
	printf("sum %d\n", sum);
	return 0;
}
