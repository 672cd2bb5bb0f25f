/* SIGTRAP without a handler kills the program; a tracer that swallows it changes the outcome. */
// arrivals: 1
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

int main(void)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	printf("raising\n");
	fflush(stdout); /* gate: here */
	raise(SIGTRAP);
	return 0;
}
