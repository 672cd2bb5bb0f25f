/* An fs-relative load is trapped: the canary of the thread, the same after as before. */
// trap: *trapped
// arrivals: 40
#include "insn.h"
#include <pthread.h>
#include <stdio.h>

long canary(void);
asm(FUNC("canary") LABEL("trapped") "\tmov %fs:0x28, %rax\n\tret\n");

static void *body(void *arg)
{
	long first = canary(), same = 0;
	for (int i = 0; i < 19; i++)
		same += canary() == first;
	return arg ? (void *)same : (void *)same;
}

int main(void)
{
	pthread_t t;
	void *r;
	pthread_create(&t, NULL, body, NULL);
	long mine = (long)body(NULL);
	pthread_join(t, &r);
	printf("same %ld %ld\n", mine, (long)r);
	return 0;
}
