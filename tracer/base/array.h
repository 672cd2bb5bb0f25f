/*
 * A growable array of any type:
 *
 *	struct array_of_int { int *items; size_t count, capacity; } numbers = {0};
 *	*array_add(&numbers) = 7;
 *	array_each(int, n, &numbers) sum += *n;
 *	array_fini(&numbers);
 *
 * Declare one with ARRAY(type). Items move when it grows: keep indexes, not pointers.
 * Running out of memory ends the program (base_alloc): nothing sensible could follow.
 */
#ifndef GATECTL_BASE_ARRAY_H
#define GATECTL_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY(type)                                                                                \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, capacity;                                                            \
	}

/* Strings that belong to others. */
struct texts {
	const char **items;
	size_t count, capacity;
};

/* Adds one zeroed item and yields its address. */
#define array_add(a)                                                                               \
	((a)->items = array_grow((a)->items, &(a)->count, &(a)->capacity, sizeof(*(a)->items)),    \
	 &(a)->items[(a)->count - 1])

/* Item `i`, for which the array grows: items that are new are zeroed. */
#define array_at(a, i)                                                                             \
	((a)->items =                                                                              \
		 array_reach((a)->items, &(a)->count, &(a)->capacity, sizeof(*(a)->items), (i)),   \
	 &(a)->items[i])

#define array_each(type, it, a)                                                                    \
	for (type *it = (a)->items; (a)->count && it < (a)->items + (a)->count; it++)

/* Removes item i; the ones behind it move up. */
#define array_remove(a, i) array_cut((a)->items, &(a)->count, sizeof(*(a)->items), (i))

#define array_fini(a)                                                                              \
	do {                                                                                       \
		base_free((a)->items);                                                             \
		(a)->items = NULL;                                                                 \
		(a)->count = (a)->capacity = 0;                                                    \
	} while (0)

#define array_sort(a, compare) array_qsort((a)->items, (a)->count, sizeof(*(a)->items), compare)

/*
 * How many items have a `field` (an unsigned one of 32 or 64 bits) below `value`, or up to it, in an
 * array that is sorted by that field: the index of the first one that has not.
 */
#define array_below(a, field, value)                                                               \
	sorted_below((a)->items, (a)->count, field, (uint64_t)(value), false)
#define array_upto(a, field, value)                                                                \
	sorted_below((a)->items, (a)->count, field, (uint64_t)(value), true)
/* The same where the items are not a whole array. */
#define sorted_below(items, count, field, value, upto)                                             \
	array_search((count) ? &(items)->field : NULL, sizeof((items)->field), sizeof(*(items)),   \
		     (count), (value), (upto))

static inline size_t array_search(const void *first, size_t width, size_t step, size_t count,
				  uint64_t value, bool upto)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const void *at = (const char *)first + middle * step;
		uint64_t found =
			width == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;

		if (found < value || (upto && found == value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *array_grow(void *items, size_t *count, size_t *capacity, size_t size);
void *array_reach(void *items, size_t *count, size_t *capacity, size_t size, size_t index);
void array_cut(void *items, size_t *count, size_t size, size_t index);
void array_qsort(void *items, size_t count, size_t size,
		 int (*compare)(const void *, const void *));

/* Zeroed memory, never NULL: ends the program with status 125 where there is none. */
void *base_alloc(size_t count, size_t size);
char *base_strdup(const char *text);
char *base_strndup(const char *text, size_t length);
void base_free(void *memory);

#endif
