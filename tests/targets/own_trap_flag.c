/* The program single-steps itself with the trap flag: every step is its own SIGTRAP. */
#include "insn.h"
#include <signal.h>
#include <stdio.h>

void stepped(void);
asm(FUNC("stepped") "\tpushf\n\torl $0x100, (%rsp)\n\tpopf\n"
		    "\tnop\n\tnop\n\tnop\n\tnop\n"
		    "\tpushf\n\tandl $0xfffffeff, (%rsp)\n\tpopf\n\tret\n");

static volatile int steps, rounds;

static void on_trap(int sig)
{
	(void)sig;
	steps++;
}

int main(void)
{
	signal(SIGTRAP, on_trap);
	for (int i = 0; i < 3; i++) {
		stepped();
		rounds++; /* gate: here */
	}
	printf("rounds %d steps %d\n", rounds, steps);
	return 0;
}
