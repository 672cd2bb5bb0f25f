/* A growable array of any type, declared with ARRAY(type). {0} is empty. Items move when it grows:
   keep indexes, not pointers. Running out of memory ends the program (README.md). */
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

/* An array of strings that it does not own. */
struct texts {
	const char **items;
	size_t count, capacity;
};

/* Adds one zeroed item; the value is its address. */
#define array_add(a)                                                                               \
	((a)->items = array_grow((a)->items, &(a)->count, &(a)->capacity, sizeof(*(a)->items)),    \
	 &(a)->items[(a)->count - 1])

/* Item `i`; the array grows to it with zeroed items. */
#define array_at(a, i)                                                                             \
	((a)->items =                                                                              \
		 array_reach((a)->items, &(a)->count, &(a)->capacity, sizeof(*(a)->items), (i)),   \
	 &(a)->items[i])

#define array_each(type, it, a)                                                                    \
	for (type *it = (a)->items; (a)->count && it < (a)->items + (a)->count; it++)

/* Removes item i; later items move up. */
#define array_remove(a, i) array_cut((a)->items, &(a)->count, sizeof(*(a)->items), (i))

#define array_fini(a)                                                                              \
	do {                                                                                       \
		base_free((a)->items);                                                             \
		(a)->items = NULL;                                                                 \
		(a)->count = (a)->capacity = 0;                                                    \
	} while (0)

#define array_sort(a, compare) array_qsort((a)->items, (a)->count, sizeof(*(a)->items), compare)

/* Number of items whose `field` (unsigned, 32 or 64 bits) is below `value`, or up to it, in an
   array sorted by that field: the index of the first other item. */
#define array_below(a, field, value)                                                               \
	sorted_below((a)->items, (a)->count, field, (uint64_t)(value), false)
#define array_upto(a, field, value)                                                                \
	sorted_below((a)->items, (a)->count, field, (uint64_t)(value), true)
/* array_below() and array_upto() for a part of an array. */
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

/* Implements array_add(). Returns the items. */
void *array_grow(void *items, size_t *count, size_t *capacity, size_t size);
/* Implements array_at(). Returns the items. */
void *array_reach(void *items, size_t *count, size_t *capacity, size_t size, size_t index);
/* Implements array_remove(). */
void array_cut(void *items, size_t *count, size_t size, size_t index);
/* qsort(3), but `items` may be NULL if `count` is 0. */
void array_qsort(void *items, size_t count, size_t size,
		 int (*compare)(const void *, const void *));

/* Returns zeroed memory, never NULL: ends the program with status 125 if there is none.
   base_free() frees it. */
void *base_alloc(size_t count, size_t size);
/* Returns a copy of the text, never NULL. base_free() frees it. */
char *base_strdup(const char *text);
/* Returns a copy of the first `length` bytes at most, never NULL. base_free() frees it. */
char *base_strndup(const char *text, size_t length);
/* Frees memory of base_alloc() and its like; NULL is ignored. */
void base_free(void *memory);

#endif
