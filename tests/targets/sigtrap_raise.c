/* The program raises SIGTRAP for itself and handles it: that one is not the tracer's. */
// arrivals: 5
#include <signal.h>
#include <stdio.h>

static volatile int seen, code;

static void on_trap(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)context;
	code = si->si_code;
	seen++; /* gate: here */
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	sigaction(SIGTRAP, &sa, NULL);
	for (int i = 0; i < 5; i++)
		raise(SIGTRAP);
	printf("seen %d by tkill %d\n", seen, code == SI_TKILL);
	return 0;
}
