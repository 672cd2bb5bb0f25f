/* Coroutines by swapcontext: the stack under the trapped line is another one each time. */
// arrivals: 60
#include <stdio.h>
#include <ucontext.h>

static ucontext_t main_ctx, co[3];
static char stacks[3][65536];
static volatile int steps[3];

static void body(int me)
{
	for (int i = 0; i < 20; i++) {
		steps[me] += i; /* gate: here */
		swapcontext(&co[me], &main_ctx);
	}
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		getcontext(&co[i]);
		co[i].uc_stack.ss_sp = stacks[i];
		co[i].uc_stack.ss_size = sizeof stacks[i];
		co[i].uc_link = &main_ctx;
		makecontext(&co[i], (void (*)(void))body, 1, i);
	}
	for (int k = 0; k < 20; k++)
		for (int i = 0; i < 3; i++)
			swapcontext(&main_ctx, &co[i]);
	printf("%d %d %d\n", steps[0], steps[1], steps[2]);
	return 0;
}
