/* A mutex on a raw futex that forgets its waiters: who slept takes it as 1 (nobody waits) where it must be 2.
 * One has it, two sleep; the one woken takes it as 1 and wakes nobody when it leaves: the third sleeps for ever. */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include "bug.h"

static _Atomic int word; /* 0 free, 1 taken, 2 taken and somebody may wait */
static int work_done;

static void lock(void)
{
	int seen, take = 1;

	for (;;) {
		seen = 0;
		if (atomic_compare_exchange_strong(&word, &seen, take))
			return;
		seen = 1;
		atomic_compare_exchange_strong(&word, &seen, 2);
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL);
		take = FIXED ? 2 : 1;
	}
}

static void unlock(void)
{
	if (atomic_exchange(&word, 0) == 2)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
}

static void *work(void *arg)
{
	lock();
	work_done++;
	unlock();
	return arg;
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		start(work, NULL);
	join_all();
	check(work_done == 3, "work was lost");
	return 0;
}
