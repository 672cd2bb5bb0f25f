/* The handler makes the page writable and the same instruction, the trapped one, runs again. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static char *page;
static volatile int faults;

static void on_segv(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)context;
	faults += si->si_addr == page;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void store(volatile char *at, char value)
{
	*at = value; /* gate: here */
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &sa, NULL);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (char i = 1; i <= 10; i++) {
		mprotect(page, 4096, PROT_READ);
		store(page, i);
	}
	printf("faults %d value %d\n", faults, *page);
	return 0;
}
