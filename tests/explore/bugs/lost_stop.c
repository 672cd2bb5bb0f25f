/* Two flags in one word, set without an atomic or: one of them is lost.
 * The reloader reads the word, main sets STOP, the reloader writes its own flag alone: the server goes on for ever. */
#include <sched.h>
#include <stdatomic.h>
#include "bug.h"

enum { STOP = 1, RELOAD = 2 };

static _Atomic int flags;

static void set(int flag)
{
	int seen;

	if (FIXED) {
		atomic_fetch_or(&flags, flag);
		return;
	}
	seen = flags;
	flags = seen | flag;
}

static void *serve(void *arg)
{
	while (!(flags & STOP))
		sched_yield();
	return arg;
}

static void *reload(void *arg)
{
	set(RELOAD);
	return arg;
}

int main(void)
{
	start(serve, NULL);
	start(reload, NULL);
	set(STOP);
	join_all();
	return 0;
}
