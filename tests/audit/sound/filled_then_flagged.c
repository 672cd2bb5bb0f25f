/* An order is filled first, and said to be there under the lock: who looks at it has seen that. */
#include <pthread.h>
#include <stdbool.h>

struct order {
	pthread_mutex_t lock;
	int amount;
	bool is_there;
};

void order_give(struct order *order, int amount)
{
	order->amount = amount;
	pthread_mutex_lock(&order->lock);
	order->is_there = true;
	pthread_mutex_unlock(&order->lock);
}

int order_take(struct order *order)
{
	int amount = 0;

	pthread_mutex_lock(&order->lock);
	if (order->is_there)
		amount = order->amount;
	order->is_there = false;
	pthread_mutex_unlock(&order->lock);
	return amount;
}
