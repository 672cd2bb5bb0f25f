/* A division by zero in the trapped statement: si_addr and the saved pc are the program's own. */
// trap: *trapped
#include "insn.h"
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

int divide(int a, int b);
extern char trapped[];
asm(FUNC("divide") "\tmov %edi, %eax\n\tcltd\n" LABEL("trapped") "\tidiv %esi\n\tret\n");

static volatile int seen, good;

static void on_fpe(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	(void)sig;
	seen++;
	good += si->si_addr == trapped && uc->uc_mcontext.gregs[REG_RIP] == (greg_t)trapped &&
		si->si_code == FPE_INTDIV;
	uc->uc_mcontext.gregs[REG_RSI] = 1;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_fpe, .sa_flags = SA_SIGINFO};
	sigaction(SIGFPE, &sa, NULL);
	int sum = 0;
	for (int i = 1; i <= 10; i++)
		sum += divide(100, i % 5);
	printf("sum %d seen %d good %d\n", sum, seen, good);
	return 0;
}
