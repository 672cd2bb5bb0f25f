/* A privileged instruction is trapped: SIGSEGV at its own address. */
// trap: *trapped
// arrivals: 5
#include "insn.h"
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

void halt(void);
extern char trapped[];
asm(FUNC("halt") LABEL("trapped") "\thlt\n\tret\n");

static volatile int seen, good;

static void on_segv(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	(void)sig;
	(void)si;
	seen++;
	good += uc->uc_mcontext.gregs[REG_RIP] == (greg_t)trapped;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)trapped + 1;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &sa, NULL);
	for (int i = 0; i < 5; i++)
		halt();
	printf("seen %d good %d\n", seen, good);
	return 0;
}
