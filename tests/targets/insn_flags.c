/* All six arithmetic flags live across a trapped nop, compared with pushf. */
// trap: *trapped
// arrivals: 256
#include "insn.h"
#include <stdio.h>

unsigned long flags_after(long flags);
asm(FUNC("flags_after") "\tpush %rdi\n\tpopf\n" LABEL(
	"trapped") "\tnop\n\tpushf\n\tpop %rax\n\tret\n");

int main(void)
{
	int bad = 0;
	for (unsigned long i = 0; i < 128; i++) {
		unsigned long f = (i & 1) | (i & 2) << 1 | (i & 4) << 2 | (i & 8) << 3 |
				  (i & 16) << 3 | (i & 32) << 5 | (i & 64) << 5;
		bad += ((flags_after((long)(f | 0x202)) ^ f) & 0xcd5) != 0;
		flags_after(0x202);
	}
	printf("bad %d\n", bad);
	return 0;
}
