/* Dekker's lock without its last look: who gave way and got the turn back enters without asking again.
 * A is inside, B gives way; A leaves, and the turn is B's; A comes again before B has told its interest anew. */
#include <sched.h>
#include "bug.h"

static _Atomic int interested[2], turn, inside;
static const int ids[2] = {0, 1};

static void give_way(int me)
{
	interested[me] = 0;
	while (turn != me)
		sched_yield();
	interested[me] = 1;
}

static void enter(int me)
{
	interested[me] = 1;
	while (interested[1 - me]) {
		if (turn == me) {
			sched_yield();
			continue;
		}
		give_way(me);
		if (!FIXED)
			return;
	}
}

static void *work(void *arg)
{
	int me = *(const int *)arg;

	for (int i = 0; i < 2; i++) {
		enter(me);
		check(!inside, "two inside");
		inside = 1;
		inside = 0;
		turn = 1 - me;
		interested[me] = 0;
	}
	return NULL;
}

int main(void)
{
	start(work, (void *)&ids[0]);
	start(work, (void *)&ids[1]);
	join_all();
	return 0;
}
