/* A spin lock that tests and sets in two steps.
 * Both see it free before either takes it. */
#include <sched.h>
#include <stdatomic.h>
#include "bug.h"

static _Atomic int locked, inside;

static void spin_lock(void)
{
	if (FIXED) {
		while (atomic_exchange(&locked, 1))
			sched_yield();
		return;
	}
	while (locked)
		sched_yield();
	locked = 1;
}

static void *work(void *arg)
{
	spin_lock();
	check(!inside, "two inside");
	inside = 1;
	inside = 0;
	locked = 0;
	return arg;
}

int main(void)
{
	start(work, NULL);
	start(work, NULL);
	join_all();
	return 0;
}
