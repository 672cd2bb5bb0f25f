/* A heap of numbers whose static helpers are called with the lock held, by all who call them. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define MOST 32

struct sorted {
	pthread_mutex_t lock;
	int numbers[MOST];
	int size;
};

struct sorted *sorted_new(void)
{
	struct sorted *sorted = calloc(1, sizeof(*sorted));
	if (!sorted)
		return NULL;
	pthread_mutex_init(&sorted->lock, NULL);
	return sorted;
}

static void swap_down(struct sorted *sorted, int at)
{
	int number = sorted->numbers[at];
	sorted->numbers[at] = sorted->numbers[at - 1];
	sorted->numbers[at - 1] = number;
}

static void sink(struct sorted *sorted, int at)
{
	while (at > 0 && sorted->numbers[at] < sorted->numbers[at - 1])
		swap_down(sorted, at--);
}

bool sorted_add(struct sorted *sorted, int number)
{
	pthread_mutex_lock(&sorted->lock);
	bool fits = sorted->size < MOST;
	if (fits) {
		sorted->numbers[sorted->size] = number;
		sink(sorted, sorted->size++);
	}
	pthread_mutex_unlock(&sorted->lock);
	return fits;
}

int sorted_change_last(struct sorted *sorted, int number)
{
	int last = -1;
	pthread_mutex_lock(&sorted->lock);
	if (sorted->size > 0) {
		last = sorted->numbers[sorted->size - 1];
		sorted->numbers[sorted->size - 1] = number;
		sink(sorted, sorted->size - 1);
	}
	pthread_mutex_unlock(&sorted->lock);
	return last;
}
