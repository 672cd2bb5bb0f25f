/* The place of the gate is a ud2: SIGILL with its address. */
// trap: *trapped
// arrivals: 6
#include "insn.h"
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

void undefined(void);
extern char trapped[];
asm(FUNC("undefined") LABEL("trapped") "\tud2\n\tret\n");

static volatile int seen, good;

static void on_ill(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	(void)sig;
	seen++;
	good += uc->uc_mcontext.gregs[REG_RIP] == (greg_t)trapped && si->si_addr == trapped;
	uc->uc_mcontext.gregs[REG_RIP] += 2;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_ill, .sa_flags = SA_SIGINFO};
	sigaction(SIGILL, &sa, NULL);
	for (int i = 0; i < 6; i++)
		undefined();
	printf("seen %d good %d\n", seen, good);
	return 0;
}
