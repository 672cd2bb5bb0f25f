/* Static and position independent: it relocates itself, nobody else knows where it is. */
// flags: -static-pie -fPIE
// arrivals: 100
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;

int main(void)
{
	int status = 0;
	pid_t pid = fork();
	for (int i = 0; i < 50; i++)
		n += 1; /* gate: here */
	if (pid == 0)
		_exit(n);
	waitpid(pid, &status, 0);
	printf("n %d child %d\n", n, WEXITSTATUS(status));
	return 0;
}
