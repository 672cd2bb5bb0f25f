/* Code made at run time in a fresh page, thrown away and made again at the same address. */
// arrivals: 40
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static volatile int sum;

static int run(int value)
{
	unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3}; /* mov $value, %eax; ret */
	memcpy(code + 1, &value, 4);
	int prot = PROT_READ | PROT_WRITE;
	void *page = mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page, code, sizeof code);
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	int r = ((int (*)(void))page)(); /* gate: here */
	munmap(page, 4096);
	return r;
}

int main(void)
{
	for (int i = 0; i < 40; i++)
		sum += run(i);
	printf("sum %d\n", sum);
	return 0;
}
