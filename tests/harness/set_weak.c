/* A set in an open table: contains looks without the lock, and an element that another removal moves up into a
   place that was looked at already is not seen. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PLACES = 8 };

struct set {
	pthread_mutex_t lock;
	int items[PLACES], count;
};

struct set *set_new(void)
{
	struct set *s = calloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void set_free(struct set *s)
{
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Under the lock. */
static int place_of(const struct set *s, int item)
{
	for (int i = 0; i < s->count; i++)
		if (s->items[i] == item)
			return i;
	return -1;
}

bool set_add(struct set *s, int item)
{
	bool added;

	pthread_mutex_lock(&s->lock);
	added = place_of(s, item) < 0 && s->count < PLACES;
	if (added) {
		__atomic_store_n(&s->items[s->count], item, __ATOMIC_RELEASE);
		__atomic_store_n(&s->count, s->count + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&s->lock);
	return added;
}

bool set_remove(struct set *s, int item)
{
	int place;

	pthread_mutex_lock(&s->lock);
	place = place_of(s, item);
	if (place >= 0) {
		__atomic_store_n(&s->items[place], s->items[s->count - 1], __ATOMIC_RELEASE);
		__atomic_store_n(&s->count, s->count - 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&s->lock);
	return place >= 0;
}

bool set_contains(const struct set *s, int item)
{
	for (int i = 0; i < __atomic_load_n(&s->count, __ATOMIC_ACQUIRE); i++)
		if (__atomic_load_n(&s->items[i], __ATOMIC_ACQUIRE) == item)
			return true;
	return false;
}
