/* The trapped system call is the thread's own exit. */
// trap: *trapped
// arrivals: 1
#include "insn.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void call_exit(int status);
asm(FUNC("call_exit") "\tmov $60, %eax\n" LABEL("trapped") "\tsyscall\n\thlt\n");

static void *body(void *arg)
{
	call_exit(0);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, body, NULL);
	pthread_join(t, NULL);
	printf("joined\n");
	return 0;
}
