/* lock cmpxchg is trapped in four threads: it has to stay atomic in a copy elsewhere. */
// trap: *trapped
#include "insn.h"
#include <pthread.h>
#include <stdio.h>

long cas(volatile long *at, long from, long to);
asm(FUNC("cas") "\tmov %rsi, %rax\n" LABEL("trapped") "\tlock cmpxchg %rdx, (%rdi)\n\tret\n");

static volatile long total;

static void *body(void *arg)
{
	for (int i = 0; i < 300; i++) {
		long seen = total;
		for (long was; (was = cas(&total, seen, seen + 1)) != seen;)
			seen = was;
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, body, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("total %ld\n", total);
	return 0;
}
