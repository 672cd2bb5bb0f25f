/* The trapped system call is an execve, a failing one and then a real one. */
// trap: *trapped
// arrivals: 2
#include "insn.h"
#include <errno.h>
#include <stdio.h>

extern char **environ;
long call_execve(const char *path, char **argv, char **envp);
asm(FUNC("call_execve") "\tmov $59, %eax\n" LABEL("trapped") "\tsyscall\n\tret\n");

int main(void)
{
	char *argv[] = {"sh", "-c", "echo replaced; exit 6", NULL};
	printf("ENOENT %d\n", call_execve("/no/such/file", argv, environ) == -ENOENT);
	fflush(stdout);
	call_execve("/bin/sh", argv, environ);
	return 99;
}
