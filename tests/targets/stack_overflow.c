/* Endless recursion: SIGSEGV with no stack left on which anything could be pushed. */
#include <stdio.h>
#include <sys/resource.h>

static volatile int deep;

static int fall(int n)
{
	volatile char pad[16384];
	pad[n % 100] = (char)n;
	deep++; /* gate: here */
	return fall(n + 1) + pad[0];
}

int main(void)
{
	struct rlimit none = {0, 0}, small = {1 << 20, 1 << 20};
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_STACK, &small);
	printf("falling\n");
	fflush(stdout);
	return fall(0);
}
