/* Real-time signals queue: all of them, in order, with their values. */
// arrivals: 40
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int count, disorder;

static void on_rt(int sig, siginfo_t *si, void *context)
{
	(void)context;
	int expected = sig == SIGRTMIN ? count : 100 + count - 20;
	disorder += si->si_value.sival_int != expected || si->si_code != SI_QUEUE;
	count++; /* gate: here */
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_rt, .sa_flags = SA_SIGINFO};
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGRTMIN + 1);
	sa.sa_mask = set;
	sigaction(SIGRTMIN, &sa, NULL);
	sigaction(SIGRTMIN + 1, &sa, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 20; i++) {
		sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 100 + i});
		sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i});
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("count %d disorder %d\n", count, disorder);
	return 0;
}
