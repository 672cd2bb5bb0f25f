/* The schedules that have been seen: a set of their digests. */
#ifndef GATECTL_SEARCH_LOOP_SEEN_H
#define GATECTL_SEARCH_LOOP_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen {
	uint64_t *items; /* a hash table; 0: free */
	size_t count, size;
};

bool seen_add(struct seen *s, uint64_t digest); /* false: it was there */
void seen_fini(struct seen *s);

#endif
