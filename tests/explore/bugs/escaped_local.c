/* A thread gets the address of the loop's counter instead of its value.
 * Main counts on before the thread has looked: two threads do the same part of the work. */
#include "bug.h"

static _Atomic int done[3];

static void *do_part(void *part)
{
	int mine = *(volatile int *)part;

	done[mine]++;
	return NULL;
}

int main(void)
{
	int ids[2] = {0, 1};
	volatile int i;

	for (i = 0; i < 2; i++) {
		start(do_part, FIXED ? &ids[i] : (int *)&i);
		give_time();
	}
	join_all();
	check(done[0] == 1 && done[1] == 1, "a part was not done");
	return 0;
}
