/* A handler moves the saved pc to another function while the thread is in the trapped line. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

static volatile long beats;

static void landing(void)
{
	printf("landed\n");
	exit(14);
}

static void on_alarm(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	(void)sig;
	(void)si;
	uc->uc_mcontext.gregs[REG_RSP] = (uc->uc_mcontext.gregs[REG_RSP] - 256) & ~15L;
	uc->uc_mcontext.gregs[REG_RSP] -= 8;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)landing;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO};
	struct itimerval once = {{0, 0}, {0, 5000}};
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &once, NULL);
	for (;;)
		beats++; /* gate: here */
}
