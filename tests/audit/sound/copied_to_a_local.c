/* A function copies a whole struct into a local one under the lock, and uses the copy's fields alone. */
#include <pthread.h>

struct gauge {
	pthread_mutex_t lock;
	int low, high;
};

void gauge_set(struct gauge *gauge, int value)
{
	pthread_mutex_lock(&gauge->lock);
	if (value < gauge->low)
		gauge->low = value;
	if (value > gauge->high)
		gauge->high = value;
	pthread_mutex_unlock(&gauge->lock);
}

int gauge_range(struct gauge *gauge)
{
	struct gauge copy;

	pthread_mutex_lock(&gauge->lock);
	copy = *gauge;
	pthread_mutex_unlock(&gauge->lock);
	return copy.high - copy.low;
}
