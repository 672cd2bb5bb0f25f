/* Permits: that there is one left is looked at first, and taken after, so the last one can be given twice. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifdef DRIVER
#include <pthread.h>
#endif

struct permits {
	atomic_int left;
};

struct permits *permits_new(int number)
{
	struct permits *permits = malloc(sizeof(*permits));
	if (!permits)
		return NULL;
	atomic_init(&permits->left, number);
	return permits;
}

bool permits_take(struct permits *permits)
{
	if (atomic_load(&permits->left) <= 0)
		return false;
	atomic_fetch_sub(&permits->left, 1); /* finding: compound left */
	return true;
}

void permits_give(struct permits *permits)
{
	atomic_fetch_add(&permits->left, 1);
}

int permits_left(struct permits *permits)
{
	return atomic_load(&permits->left);
}

#ifdef DRIVER
static void *take(void *permits)
{
	permits_take(permits);
	return NULL;
}

int main(void)
{
	struct permits *permits = permits_new(1);
	pthread_t one, two;
	pthread_create(&one, NULL, take, permits);
	pthread_create(&two, NULL, take, permits);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return permits_left(permits) < 0;
}
#endif
