/* A signal to the own thread by tgkill: its handler runs before the call returns. */
// arrivals: 50
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int seen, late;

static void on_usr1(int sig)
{
	(void)sig;
	seen++; /* gate: here */
}

int main(void)
{
	signal(SIGUSR1, on_usr1);
	for (int i = 0; i < 50; i++) {
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
		late += seen != i + 1;
	}
	printf("seen %d late %d\n", seen, late);
	return 0;
}
