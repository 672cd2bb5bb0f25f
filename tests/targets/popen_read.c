/* popen: a pipe to a shell whose children have nothing to do with the traps of this program. */
#include <stdio.h>
#include <sys/wait.h>

static volatile long sum;

int main(void)
{
	FILE *f = popen("i=0; while [ $i -lt 50 ]; do echo $i; i=$((i+1)); done; exit 6", "r");
	int n;
	while (fscanf(f, "%d", &n) == 1)
		sum += n; /* gate: here */
	int status = pclose(f);
	printf("sum %ld exit %d\n", sum, WEXITSTATUS(status));
	return 0;
}
