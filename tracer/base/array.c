/* Memory that ends the program if there is none, and growable arrays. */
#include "tracer/base/array.h"
#include "tracer/base/leave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if memory is NULL, without allocating any. */
static void *or_die(void *memory, size_t size)
{
	char text[128];

	if (memory)
		return memory;
	snprintf(text, sizeof(text), "gatectl: error: out of memory: cannot allocate %zu bytes\n",
		 size);
	fputs(text, stderr);
	fputs("try: a higher limit (ulimit -v, or the memory of the container)\n", stderr);
	leave_now(125);
}

void *base_alloc(size_t count, size_t size)
{
	return or_die(calloc(count ? count : 1, size ? size : 1), count * size);
}

char *base_strdup(const char *text)
{
	return or_die(strdup(text), strlen(text) + 1);
}

char *base_strndup(const char *text, size_t length)
{
	return or_die(strndup(text, length), length + 1);
}

void base_free(void *memory)
{
	free(memory);
}

void *array_grow(void *items, size_t *count, size_t *capacity, size_t size)
{
	if (*count == *capacity) {
		*capacity = *capacity ? *capacity * 2 : 8;
		items = or_die(reallocarray(items, *capacity, size), *capacity * size);
	}
	memset((char *)items + *count * size, 0, size);
	*count += 1;
	return items;
}

void *array_reach(void *items, size_t *count, size_t *capacity, size_t size, size_t index)
{
	while (*count <= index)
		items = array_grow(items, count, capacity, size);
	return items;
}

void array_cut(void *items, size_t *count, size_t size, size_t index)
{
	char *at = (char *)items + index * size;

	*count -= 1;
	memmove(at, at + size, (*count - index) * size);
}

void array_qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count) /* qsort() does not permit NULL */
		qsort(items, count, size, compare);
}
