/* Gates within critical sections: SIGTRAP is blocked there, alone or with all others, and stays so. */
// arrivals: 16
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int met, seen, by_tkill;

static void on_trap(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)context;
	by_tkill += si->si_code == SI_TKILL && si->si_pid == getpid();
	seen++;
}

__attribute__((noinline)) static void place(void)
{
	met++; /* gate: here */
}

static int blocks(void)
{
	sigset_t now;
	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGTRAP);
}

static void section(const sigset_t *set, const char *what)
{
	sigset_t old, pending;
	sigprocmask(SIG_BLOCK, set, &old);
	place();
	printf("%s: blocked %d", what, blocks());
	raise(SIGTRAP);
	place();
	place();
	sigpending(&pending);
	printf(" pending %d seen %d", sigismember(&pending, SIGTRAP), seen);
	sigprocmask(SIG_SETMASK, &old, NULL);
	place();
	printf(" then blocked %d seen %d\n", blocks(), seen);
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO}, old;
	sigset_t one, all;
	sigemptyset(&one);
	sigaddset(&one, SIGTRAP);
	sigfillset(&all);

	sigaction(SIGTRAP, &sa, NULL);
	section(&one, "one");
	section(&all, "all");
	unsigned long raw = 1ul << (SIGTRAP - 1); /* nobody but the kernel sees this one */
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &raw, NULL, 8);
	place();
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &raw, NULL, 8);
	section(&one, "again");
	sigaction(SIGTRAP, NULL, &old);
	printf("handler %d\n", old.sa_sigaction == on_trap && (old.sa_flags & SA_SIGINFO));

	/* without a handler: what is sent waits for sigwait */
	signal(SIGTRAP, SIG_DFL);
	int got = 0;
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	place();
	kill(getpid(), SIGTRAP);
	place();
	sigwait(&one, &got);
	place();
	printf("sigwait %d met %d by_tkill %d\n", got == SIGTRAP, met, by_tkill);
	return 0;
}
