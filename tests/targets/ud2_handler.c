/* SIGILL from ud2, the handler skips it by changing the saved pc. */
// arrivals: 6
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

static volatile int seen;

static void on_ill(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	(void)sig;
	(void)si;
	uc->uc_mcontext.gregs[REG_RIP] += 2;
	seen++;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_ill, .sa_flags = SA_SIGINFO};
	sigaction(SIGILL, &sa, NULL);
	for (volatile int i = 0; i < 6; i++)
		asm volatile("ud2"); /* gate: here */
	printf("seen %d\n", seen);
	return 0;
}
