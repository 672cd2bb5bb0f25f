/* Sequence lock whose reader does not look at the number again: it may have read half of the old pair.
 * The reader reads an even number and the first half, the writer writes both, the reader reads the second half. */
#include <sched.h>
#include "bug.h"

static _Atomic int sequence, first, second;

static void *write_pair(void *arg)
{
	sequence = 1;
	first = 7;
	second = 7;
	sequence = 2;
	return arg;
}

static void *read_pair(void *arg)
{
	int before, one, two;

	for (;;) {
		before = sequence;
		if (before % 2) {
			sched_yield();
			continue;
		}
		one = first;
		two = second;
		if (!FIXED || sequence == before)
			break;
	}
	check(one == two, "half a pair");
	return arg;
}

int main(void)
{
	start(write_pair, NULL);
	start(read_pair, NULL);
	join_all();
	return 0;
}
