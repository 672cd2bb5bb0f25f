/* A thread made by a bare clone3: no pthread structure, no TLS of its own, ends by SYS_exit. */
// arrivals: 3
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Alignas(16) char stack[65536];
static volatile int steps;
static volatile pid_t tid_word = 1;

static __attribute__((noinline)) void step(void)
{
	steps++; /* gate: here */
}

static void body(void)
{
	for (int i = 0; i < 3; i++)
		step();
}

static long start(struct clone_args *a, void (*fn)(void))
{
	long ret = SYS_clone3;
	register void (*f)(void) asm("r8") = fn;
	asm volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\t"
		     "xor %%ebp, %%ebp\n\tcall *%%r8\n\t"
		     "mov $60, %%eax\n\txor %%edi, %%edi\n\tsyscall\n1:"
		     : "+a"(ret), "+r"(f)
		     : "D"(a), "S"(sizeof *a)
		     : "rcx", "r11", "memory");
	return ret;
}

int main(void)
{
	struct clone_args a = {
		.flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			 CLONE_SYSVSEM | CLONE_CHILD_CLEARTID,
		.child_tid = (uintptr_t)&tid_word,
		.stack = (uintptr_t)stack,
		.stack_size = sizeof stack,
	};
	long tid = start(&a, body);
	while (tid > 0 && tid_word != 0)
		syscall(SYS_futex, &tid_word, FUTEX_WAIT, 1, NULL, NULL, 0);
	printf("made %s, steps %d\n", tid > 0 ? "yes" : "no", steps);
	return 0;
}
