/* clone(2) with CLONE_THREAD but no CLONE_SETTLS: the thread shares its creator's TLS block. */
// arrivals: 2
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Alignas(16) char stack[65536];
static volatile int steps;
static volatile pid_t tid_word = 1;

static int body(void *arg)
{
	steps += *(int *)arg; /* gate: here */
	return 0;
}

int main(void)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_CHILD_CLEARTID;
	for (int i = 1; i <= 2; i++) {
		tid_word = 1;
		clone(body, stack + sizeof stack, flags, &i, NULL, NULL, &tid_word);
		while (tid_word != 0)
			syscall(SYS_futex, &tid_word, FUTEX_WAIT, 1, NULL, NULL, 0);
	}
	printf("steps %d\n", steps);
	return 0;
}
