/* The program takes write and read permission games with its own text pages while trapped. */
// arrivals: 40
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

static volatile int n;

static void tick(void)
{
	n++; /* gate: here */
}

int main(void)
{
	char *page = (char *)((uintptr_t)tick & ~4095ul);
	int bad = 0;
	for (int i = 0; i < 40; i++) {
		int prot = i % 2 ? PROT_READ | PROT_EXEC : PROT_READ | PROT_WRITE | PROT_EXEC;
		bad += mprotect(page, 4096, prot) != 0;
		tick();
	}
	printf("n %d bad %d\n", n, bad);
	return 0;
}
