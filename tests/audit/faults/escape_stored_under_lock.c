/* A gauge that stores the address of its guarded level in the caller's view, though it has the lock meanwhile. */
#include <pthread.h>

struct gauge_view {
	const int *value;
};

struct gauge {
	pthread_mutex_t lock;
	int level;
};

void gauge_set(struct gauge *gauge, int level)
{
	pthread_mutex_lock(&gauge->lock);
	gauge->level = level;
	pthread_mutex_unlock(&gauge->lock);
}

void gauge_view(struct gauge *gauge, struct gauge_view *view)
{
	pthread_mutex_lock(&gauge->lock);
	view->value = &gauge->level; /* finding: P1 level */
	pthread_mutex_unlock(&gauge->lock);
}
