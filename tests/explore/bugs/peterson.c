/* Peterson's lock with its first two stores exchanged: the turn is given away before interest is told.
 * A gives the turn to B, B gives it to A, tells its interest, sees none of A's and enters;
 * A tells its interest, has the turn, and enters, too. */
#include <sched.h>
#include "bug.h"

static _Atomic int interested[2], turn, inside;
static const int ids[2] = {0, 1};

static void enter(int me)
{
	if (FIXED)
		interested[me] = 1;
	turn = 1 - me;
	if (!FIXED)
		interested[me] = 1;
	while (interested[1 - me] && turn == 1 - me)
		sched_yield();
}

static void *work(void *arg)
{
	int me = *(const int *)arg;

	enter(me);
	check(!inside, "two inside");
	inside = 1;
	inside = 0;
	interested[me] = 0;
	return NULL;
}

int main(void)
{
	start(work, (void *)&ids[0]);
	start(work, (void *)&ids[1]);
	join_all();
	return 0;
}
