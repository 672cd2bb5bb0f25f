/* An order is said to be there under the lock, and filled then: who looks at it may see what was there before. */
#include <pthread.h>
#include <stdbool.h>

struct order {
	pthread_mutex_t lock;
	int amount;
	bool is_there;
};

void order_give(struct order *order, int amount)
{
	pthread_mutex_lock(&order->lock);
	order->is_there = true;
	pthread_mutex_unlock(&order->lock);
	order->amount = amount; /* finding: P3 amount */
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
