/* Work-stealing deque (Chase and Lev): the owner takes the last item without competing for it.
 * The thief has seen the last item and not yet moved `top` when the owner takes it: it is taken twice. */
#include <stdatomic.h>
#include "bug.h"

static _Atomic int top, bottom = 2, taken[2];

static int take(void)
{
	int last = bottom - 1, first;

	bottom = last;
	first = top;
	if (first < last)
		return last;
	bottom = last + 1;
	if (first > last)
		return -1;
	if (FIXED)
		return atomic_compare_exchange_strong(&top, &first, first + 1) ? last : -1;
	top = first + 1;
	return last;
}

static int steal(void)
{
	int first = top;

	if (first >= bottom)
		return -1;
	return atomic_compare_exchange_strong(&top, &first, first + 1) ? first : -1;
}

static void *own(void *arg)
{
	for (int item = take(); item >= 0; item = take())
		check(!taken[item]++, "an item was taken twice");
	return arg;
}

static void *thieve(void *arg)
{
	int item = steal();

	if (item >= 0)
		check(!taken[item]++, "an item was taken twice");
	return arg;
}

int main(void)
{
	start(own, NULL);
	start(thieve, NULL);
	join_all();
	check(taken[0] && taken[1], "an item was lost");
	return 0;
}
