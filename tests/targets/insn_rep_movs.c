/* rep movsb is trapped: one instruction, one arrival, however many bytes it moves. */
// trap: *trapped
// arrivals: 50
#include "insn.h"
#include <stdio.h>
#include <string.h>

void copy(void *to, const void *from, unsigned long n);
asm(FUNC("copy") "\tmov %rdx, %rcx\n" LABEL("trapped") "\trep movsb\n\tret\n");

int main(void)
{
	static char from[10000], to[10000];
	int bad = 0;
	for (unsigned i = 0; i < sizeof from; i++)
		from[i] = (char)(i * 7);
	for (int i = 0; i < 50; i++) {
		memset(to, 0, sizeof to);
		copy(to, from, sizeof to);
		bad += memcmp(to, from, sizeof to) != 0;
	}
	printf("bad %d\n", bad);
	return 0;
}
