/* A garbage collector that runs in whoever gets the lock first; the others go on, and touch nothing. */
#include <pthread.h>
#include <stdlib.h>

struct collector {
	pthread_mutex_t lock;
	int garbage;
	int runs;
};

struct collector *collector_new(void)
{
	struct collector *collector = calloc(1, sizeof(*collector));
	if (!collector)
		return NULL;
	pthread_mutex_init(&collector->lock, NULL);
	return collector;
}

void collector_drop(struct collector *collector, int objects)
{
	pthread_mutex_lock(&collector->lock);
	collector->garbage += objects;
	pthread_mutex_unlock(&collector->lock);
}

int collector_run(struct collector *collector)
{
	int freed = 0;
	if (pthread_mutex_trylock(&collector->lock) == 0) {
		freed = collector->garbage;
		collector->garbage = 0;
		collector->runs++;
		pthread_mutex_unlock(&collector->lock);
	}
	return freed;
}
