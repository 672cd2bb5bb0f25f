/* The trapped call goes to address 0: the fault is at 0, with the return address on the stack. */
// trap: *trapped
// arrivals: 10
#include "insn.h"
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

long call_null(void (*f)(void));
extern char behind[];
asm(FUNC("call_null") "\tsub $8, %rsp\n" LABEL("trapped") "\tcall *%rdi\n" LABEL(
	"behind") "\tadd $8, %rsp\n\tret\n");

static volatile int good;

static void on_segv(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	long *sp = (long *)uc->uc_mcontext.gregs[REG_RSP];
	(void)sig;
	(void)si;
	good += uc->uc_mcontext.gregs[REG_RIP] == 0 && *sp == (long)behind;
	uc->uc_mcontext.gregs[REG_RIP] = *sp;
	uc->uc_mcontext.gregs[REG_RSP] += 8;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &sa, NULL);
	for (int i = 0; i < 10; i++)
		call_null(NULL);
	printf("good %d\n", good);
	return 0;
}
