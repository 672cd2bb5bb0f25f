/* ABA on a Treiber stack: a compare-and-swap cannot tell that its node was away and came back.
 * One thread reads top 0 and the node below it, 1; the other pops 0 and 1 and pushes 0 again; the first one's
 * swap succeeds and puts node 1 on the stack, which the other still has. The twin counts pushes above the index. */
#include <stdatomic.h>
#include "bug.h"

enum { NODES = 3, NONE = 0xff };

static _Atomic unsigned top, below[NODES];
static int owned[NODES];

static void push(unsigned node)
{
	unsigned seen = top, count;

	do {
		below[node] = seen & 0xff;
		count = (seen & ~0xffu) + (FIXED ? 0x100 : 0);
	} while (!atomic_compare_exchange_strong(&top, &seen, count | node));
}

static unsigned pop(void)
{
	unsigned seen = top, next;

	do {
		if ((seen & 0xff) == NONE)
			return NONE;
		next = below[seen & 0xff];
	} while (!atomic_compare_exchange_strong(&top, &seen, (seen & ~0xffu) | next));
	return seen & 0xff;
}

static void *pop_one(void *mine)
{
	*(unsigned *)mine = pop();
	return NULL;
}

static void *pop_two_push_one(void *mine)
{
	unsigned first = pop();

	*(unsigned *)mine = pop();
	if (first != NONE)
		push(first);
	return NULL;
}

int main(void)
{
	unsigned mine[2], node;

	top = NONE;
	for (int i = NODES - 1; i >= 0; i--)
		push(i);
	start(pop_one, &mine[0]);
	start(pop_two_push_one, &mine[1]);
	join_all();
	for (int i = 0; i < 2; i++)
		if (mine[i] != NONE)
			owned[mine[i]]++;
	while ((node = pop()) != NONE)
		check(!owned[node]++, "a node is on the stack and somebody's");
	check(mine[0] != mine[1], "a node has two owners");
	return 0;
}
