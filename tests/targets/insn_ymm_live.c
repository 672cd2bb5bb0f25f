/* The upper halves of the AVX registers live across the trapped instruction, where there are any. */
// trap: *trapped
// arrivals: 50
#include "insn.h"
#include <stdio.h>
#include <string.h>

void through(const void *in, void *out, int avx);
asm(FUNC("through") "\ttest %edx, %edx\n\tjz 1f\n"
		    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tvmovdqu 32*\\n(%rdi), "
		    "%ymm\\n\n.endr\n1:\n" LABEL(
			    "trapped") "\tnop\n\ttest %edx, %edx\n\tjz 2f\n"
				       ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tvmovdqu "
				       "%ymm\\n, 32*\\n(%rsi)\n.endr\n"
				       "\tvzeroupper\n2:\tret\n");

int main(void)
{
	unsigned char in[512], out[512];
	int bad = 0, avx = __builtin_cpu_supports("avx");
	for (int k = 0; k < 50; k++) {
		for (int i = 0; i < 512; i++)
			in[i] = (unsigned char)(i * 37 + k);
		through(in, out, avx);
		bad += avx && memcmp(in, out, sizeof in) != 0;
	}
	printf("bad %d\n", bad);
	return 0;
}
