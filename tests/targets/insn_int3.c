/* The place of the gate is an int3 of the program's own: both the gate and the program get theirs. */
// trap: *trapped
// arrivals: 6
#include "insn.h"
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

void breaks(void);
extern char trapped[], behind[];
asm(FUNC("breaks") LABEL("trapped") "\tint3\n" LABEL("behind") "\tret\n");

static volatile int seen, good;

static void on_trap(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	(void)sig;
	(void)si;
	seen++;
	good += uc->uc_mcontext.gregs[REG_RIP] == (greg_t)behind;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	sigaction(SIGTRAP, &sa, NULL);
	for (int i = 0; i < 6; i++)
		breaks();
	printf("seen %d good %d\n", seen, good);
	return 0;
}
