/* Double free: the count is taken down atomically, but whether it was the last is asked in a second look.
 * Both take it down before either looks: both see 0 and free. (A block of this size is unmapped at once.) */
#include <stdatomic.h>
#include <stdlib.h>
#include "bug.h"

static void *block;
static _Atomic int users = 2;

static void *drop(void *arg)
{
	int left = atomic_fetch_sub(&users, 1) - 1;

	if (!FIXED)
		left = users;
	if (left == 0)
		free(block);
	return arg;
}

int main(void)
{
	block = malloc(400000);
	start(drop, NULL);
	start(drop, NULL);
	join_all();
	return 0;
}
