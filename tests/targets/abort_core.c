/* abort: SIGABRT raised, no handler, the core bit or not as without us. */
// arrivals: 1
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(void)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	fprintf(stderr, "aborting\n");
	abort(); /* gate: here */
}
