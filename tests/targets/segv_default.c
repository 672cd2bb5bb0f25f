/* Dies by SIGSEGV at the trapped line itself: the signal and nothing else must come out. */
#include <stdio.h>
#include <sys/resource.h>

static char *volatile nowhere;

int main(void)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	printf("about to fault\n");
	fflush(stdout);
	*nowhere = 1; /* gate: here */
	return 0;
}
