/* Gates in handlers that block SIGTRAP, its own among them: what is sent there waits for the return. */
// arrivals: 16
#include <signal.h>
#include <stdio.h>

static volatile int met, depth, deepest, traps;

__attribute__((noinline)) static void place(void)
{
	met++; /* gate: here */
}

static void on_trap(int sig)
{
	(void)sig;
	traps++;
	if (++depth > deepest)
		deepest = depth;
	place();
	if (traps % 2)
		raise(SIGTRAP); /* comes when this one has returned */
	place();
	depth--;
}

static void on_usr1(int sig)
{
	(void)sig;
	place();
	raise(SIGTRAP);
	place();
	printf("in the other: %d traps\n", traps);
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_trap};
	sigaction(SIGTRAP, &sa, NULL);
	raise(SIGTRAP);
	printf("%d traps, deepest %d\n", traps, deepest);
	sa.sa_handler = on_usr1;
	sigfillset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	place();
	raise(SIGTRAP);
	place();
	printf("%d traps, deepest %d, met %d\n", traps, deepest, met);
	return 0;
}
