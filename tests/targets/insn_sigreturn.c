/* The trapped system call is rt_sigreturn: pc and registers come from the frame, not from the copy. */
// trap: *trapped
// arrivals: 10
#include "insn.h"
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kernel_sigaction {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

void give_back(void);
asm(FUNC("give_back") "\tmov $15, %eax\n" LABEL("trapped") "\tsyscall\n\thlt\n");

static volatile int seen;

static void on_usr1(int sig)
{
	(void)sig;
	seen++;
}

int main(void)
{
	struct kernel_sigaction sa = {on_usr1, 0x04000000 /* SA_RESTORER */, give_back, 0};
	syscall(SYS_rt_sigaction, SIGUSR1, &sa, NULL, 8);
	for (int i = 0; i < 10; i++)
		kill(getpid(), SIGUSR1);
	printf("seen %d\n", seen);
	return 0;
}
