/* The trapped load faults: pc in the frame is the program's, the handler steps over it. */
// trap: *trapped
// arrivals: 20
#include "insn.h"
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

long load(const long *from);
extern char trapped[], behind[];
asm(FUNC("load") LABEL("trapped") "\tmov (%rdi), %rax\n" LABEL("behind") "\tret\n");

static volatile int seen, good;

static void on_segv(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	(void)sig;
	seen++;
	good += uc->uc_mcontext.gregs[REG_RIP] == (greg_t)trapped && si->si_addr == (void *)64;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)behind;
	uc->uc_mcontext.gregs[REG_RAX] = 5;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &sa, NULL);
	long sum = 0, one = 1;
	for (int i = 0; i < 20; i++)
		sum += load(i % 2 ? &one : (const long *)64);
	printf("sum %ld seen %d good %d\n", sum, seen, good);
	return 0;
}
