/*
 * Sensors announce themselves, each from a thread of its own, and are kept in a growing array.
 *
 * The array has no lock. Two threads that add at the same time read the same count, write to the
 * same element, and one of the two sensors is never heard of again. The sensors answer some
 * milliseconds apart, so that it has never been seen.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct sensor {
	const char *name;
	long answer_ms;
};

struct list {
	const struct sensor **items;
	size_t count, capacity;
};

static int list_reserve(struct list *l, size_t capacity)
{
	const struct sensor **items;

	if (capacity <= l->capacity)
		return 0;
	items = realloc(l->items, capacity * sizeof(*items));
	if (items == NULL)
		return -1;
	l->items = items;
	l->capacity = capacity;
	return 0;
}

static int list_add(struct list *l, const struct sensor *s)
{
	size_t index = l->count;

	if (list_reserve(l, index + 1) != 0)
		return -1;
	l->items[index] = s;
	l->count = index + 1;
	return 0;
}

static struct list found;

/* Asks one sensor and waits for its answer. */
static void *probe(void *arg)
{
	struct sensor *s = arg;
	struct timespec t = {.tv_nsec = s->answer_ms * 1000000L};

	nanosleep(&t, NULL);
	if (list_add(&found, s) != 0)
		fprintf(stderr, "sensors: no memory for %s\n", s->name);
	return NULL;
}

int main(void)
{
	static struct sensor sensors[] = {{"temperature", 1}, {"humidity", 15}};
	pthread_t threads[2];

	if (list_reserve(&found, 8) != 0)
		return 2;
	for (int i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, probe, &sensors[i]) != 0) {
			fprintf(stderr, "sensors: cannot start a thread\n");
			return 2;
		}
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);

	printf("2 sensors answered, %zu in the list\n", found.count);
	free(found.items);
	return found.count == 2 ? 0 : 1;
}
