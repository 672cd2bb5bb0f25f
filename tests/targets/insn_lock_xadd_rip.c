/* lock xadd on a rip-relative word is trapped: atomic, and its displacement counted from the old pc. */
// trap: *trapped
// arrivals: 1200
#include "insn.h"
#include <pthread.h>
#include <stdio.h>

long take(void);
extern volatile long word;
volatile long word;
asm(FUNC("take") "\tmov $1, %eax\n" LABEL("trapped") "\tlock xadd %rax, word(%rip)\n\tret\n");

static void *body(void *arg)
{
	for (int i = 0; i < 300; i++)
		take();
	return arg;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, body, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("word %ld\n", word);
	return 0;
}
