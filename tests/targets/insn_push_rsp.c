/* push %rsp is trapped: the value pushed is that from before the push. */
// trap: *trapped
// arrivals: 30
#include "insn.h"
#include <stdio.h>

int pushed_right(void);
asm(FUNC("pushed_right") "\tmov %rsp, %rcx\n" LABEL(
	"trapped") "\tpush %rsp\n\tpop %rdx\n\txor %eax, %eax\n\tcmp %rcx, %rdx\n\tsete "
		   "%al\n\tret\n");

int main(void)
{
	int good = 0;
	for (int i = 0; i < 30; i++)
		good += pushed_right();
	printf("good %d\n", good);
	return 0;
}
