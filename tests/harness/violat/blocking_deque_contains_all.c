/* LinkedBlockingDeque.containsAll(), of AbstractCollection: item by item. */
#include "blocking_deque.h"

int deque_contains_all(struct deque *d, const int *items, size_t count)
{
	int all = 1;

	for (size_t i = 0; i < count; i++)
		all &= deque_contains(d, items[i]);
	return all;
}
