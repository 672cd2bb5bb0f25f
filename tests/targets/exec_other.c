/* exec of another program: none of the locations exist there, the run goes on without them. */
// arrivals: 1
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	printf("before\n");
	fflush(stdout); /* gate: here */
	execlp("sh", "sh", "-c", "echo after; exit 9", (char *)NULL);
	return 99;
}
