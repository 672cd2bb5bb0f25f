/* Address randomisation stays as the user has it: a tracer that turns it off hides bugs. */
// arrivals: 1
#include <stdio.h>
#include <sys/personality.h>

int main(void)
{
	printf("personality %x\n", (unsigned)personality(0xffffffff)); /* gate: here */
	return 0;
}
