/* LinkedBlockingDeque.addAll(), of AbstractQueue: item by item. */
#include "blocking_deque.h"

int deque_add_all(struct deque *d, const int *items, size_t count)
{
	int all = 1;

	for (size_t i = 0; i < count; i++)
		all &= deque_offer(d, items[i]);
	return all;
}
