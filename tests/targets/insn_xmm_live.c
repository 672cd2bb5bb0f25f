/* All sixteen SSE registers and MXCSR live across the trapped instruction. */
// trap: *trapped
// arrivals: 50
#include "insn.h"
#include <stdio.h>
#include <string.h>

void through(const void *in, void *out);
asm(FUNC("through") ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tmovups 16*\\n(%rdi), "
		    "%xmm\\n\n.endr\n" LABEL(
			    "trapped") "\tnop\n"
				       ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tmovups "
				       "%xmm\\n, 16*\\n(%rsi)\n.endr\n\tret\n");

int main(void)
{
	unsigned char in[256], out[256];
	int bad = 0;
	for (int k = 0; k < 50; k++) {
		for (int i = 0; i < 256; i++)
			in[i] = (unsigned char)(i * 37 + k);
		through(in, out);
		bad += memcmp(in, out, sizeof in) != 0;
	}
	printf("bad %d\n", bad);
	return 0;
}
