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

#include <stddef.h>

#define ARRAY(type)                                                                                \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, capacity;                                                            \
	}

/* Adds one zeroed item and yields its address. */
#define array_add(a)                                                                               \
	((a)->items = array_grow((a)->items, &(a)->count, &(a)->capacity, sizeof(*(a)->items)),    \
	 &(a)->items[(a)->count - 1])

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

void *array_grow(void *items, size_t *count, size_t *capacity, size_t size);
void array_cut(void *items, size_t *count, size_t size, size_t index);

/* Zeroed memory, never NULL: ends the program with status 125 where there is none. */
void *base_alloc(size_t count, size_t size);
char *base_strdup(const char *text);
char *base_strndup(const char *text, size_t length);
void base_free(void *memory);

#endif
