/* rep stosb runs into a page without permission; the handler opens it, the rest is stored. */
// trap: *trapped
#include "insn.h"
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

void fill(void *to, int value, unsigned long n);
extern char trapped[];
asm(FUNC("fill") "\tmov %rdx, %rcx\n\tmov %esi, %eax\n" LABEL("trapped") "\trep stosb\n\tret\n");

static char *pages;
static volatile int faults, good;

static void on_segv(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	(void)sig;
	faults++;
	good += uc->uc_mcontext.gregs[REG_RIP] == (greg_t)trapped &&
		uc->uc_mcontext.gregs[REG_RCX] == 4096 && si->si_addr == pages + 4096;
	mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE);
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &sa, NULL);
	pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(pages + 4096, 4096, PROT_NONE);
	fill(pages, 'x', 8192);
	int all = 0;
	for (int i = 0; i < 8192; i++)
		all += pages[i] == 'x';
	printf("faults %d good %d all %d\n", faults, good, all);
	return 0;
}
