/* The trapped system call is a fork: the child comes out of the copy in a copy of the memory. */
// trap: *trapped
// arrivals: 10
#include "insn.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

long call_fork(void);
asm(FUNC("call_fork") "\tmov $57, %eax\n" LABEL("trapped") "\tsyscall\n\tret\n");

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++) {
		long pid = call_fork();
		if (pid == 0)
			_exit(i);
		int status;
		waitpid((pid_t)pid, &status, 0);
		sum += WEXITSTATUS(status);
	}
	printf("sum %d\n", sum);
	return 0;
}
