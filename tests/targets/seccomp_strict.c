/* Strict seccomp: any call but read, write, exit kills; the first trap is hit in there. */
// arrivals: 10
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

static void child(void)
{
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		_exit(1);
	for (int i = 0; i < 10; i++)
		steps++; /* gate: here */
	if (write(1, "strict\n", 7) != 7)
		syscall(SYS_exit, 2);
	syscall(SYS_exit, steps);
}

int main(void)
{
	pid_t pid = fork();
	if (pid == 0)
		child();
	int status;
	waitpid(pid, &status, 0);
	printf("exited %d code %d signal %d\n", WIFEXITED(status), WEXITSTATUS(status),
	       WTERMSIG(status));
	return 0;
}
