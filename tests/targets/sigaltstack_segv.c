/* SIGSEGV handled on another stack, left by siglongjmp: the trapped line is entered again. */
// arrivals: 10
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;
static char other[65536];
static volatile int on_other;
static char *volatile nowhere = (char *)16;

static void on_segv(int sig)
{
	char here;
	on_other += &here > other && &here < other + sizeof other;
	siglongjmp(back, sig);
}

int main(void)
{
	stack_t st = {.ss_sp = other, .ss_size = sizeof other};
	struct sigaction sa = {.sa_handler = on_segv, .sa_flags = SA_ONSTACK};
	volatile int faults = 0;
	sigaltstack(&st, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	for (volatile int i = 0; i < 10; i++) {
		if (sigsetjmp(back, 1) == SIGSEGV) {
			faults++;
			continue;
		}
		*nowhere = 1; /* gate: here */
	}
	printf("faults %d on other stack %d\n", faults, on_other);
	return 0;
}
