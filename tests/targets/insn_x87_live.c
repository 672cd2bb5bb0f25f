/* Eight values on the x87 stack across the trapped instruction. */
// trap: *trapped
// arrivals: 50
#include "insn.h"
#include <stdio.h>

double sum8(const double *in);
asm(FUNC("sum8") ".irp n,0,1,2,3,4,5,6,7\n\tfldl 8*\\n(%rdi)\n.endr\n" LABEL(
	"trapped") "\tfaddp\n\tfaddp\n\tfaddp\n\tfaddp\n\tfaddp\n\tfaddp\n\tfaddp\n"
		   "\tfstpl -8(%rsp)\n\tmovsd -8(%rsp), %xmm0\n\tret\n");

int main(void)
{
	double in[8] = {1, 2, 4, 8, 16, 32, 64, 128}, total = 0;
	for (int i = 0; i < 50; i++)
		total += sum8(in);
	printf("total %.1f\n", total);
	return 0;
}
