/* g3log, issue 324, "Deadlocks on crash caused calling free/malloc": https://github.com/KjellKod/g3log/issues/324
 *
 * Hangs: a thread in its own signal handler, which waits in malloc() for the lock of the heap.
 * When: the signal interrupts the thread inside malloc() or free(), with that lock held.
 * Written from the stack of the report. There a damaged heap raised the signal; here the watchdog thread, which takes
 * the worker for stuck, sends it. The blocks are larger than what glibc keeps for each thread without a lock. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int dumped;

/* The stack as text: the names are allocated, as backtrace_symbols() does. */
static void dump_stack(int sig)
{
	char *text = malloc(3000);

	if (text) {
		memset(text, '.', 2999);
		text[2999] = 0;
	}
	free(text);
	dumped = sig;
}

/* Allocates until the stacks have been dumped. */
static void *work(void *arg)
{
	for (int i = 0; !dumped; i++) {
		char *block = malloc(2000 + i % 20 * 100);

		if (block)
			block[0] = (char)i;
		free(block);
	}
	return arg;
}

int main(void)
{
	struct sigaction action = { .sa_handler = dump_stack };
	pthread_t worker;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&worker, NULL, work, NULL);
	usleep(10000); /* the patience of the watchdog */
	pthread_kill(worker, SIGUSR1);
	pthread_join(worker, NULL);
	return 0;
}
