/* int3 written by the program: its SIGTRAP goes to its handler with the pc behind the int3. */
// arrivals: 8
#include "insn.h"
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

void breaks(void);
extern char behind[];
asm(FUNC("breaks") "\tint3\n" LABEL("behind") "\tret\n");

static volatile int seen, good;

static void on_trap(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	(void)sig;
	good += uc->uc_mcontext.gregs[REG_RIP] == (greg_t)behind && si->si_code == SI_KERNEL;
	seen++; /* gate: here */
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	sigaction(SIGTRAP, &sa, NULL);
	for (int i = 0; i < 8; i++)
		breaks();
	printf("seen %d good %d\n", seen, good);
	return 0;
}
