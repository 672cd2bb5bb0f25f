/* The direction flag is set across a trapped string instruction: it runs backwards. */
// trap: *trapped
// arrivals: 20
#include "insn.h"
#include <stdio.h>
#include <string.h>

void backwards(char *to_end, const char *from_end, unsigned long n);
asm(FUNC("backwards") "\tmov %rdx, %rcx\n\tstd\n" LABEL("trapped") "\trep movsb\n\tcld\n\tret\n");

int main(void)
{
	char s[] = "abcdefgh", d[9] = "";
	int good = 0;
	for (int i = 0; i < 20; i++) {
		memset(d, 0, sizeof d);
		backwards(d + 7, s + 7, 8);
		good += !strcmp(d, s);
	}
	printf("good %d\n", good);
	return 0;
}
