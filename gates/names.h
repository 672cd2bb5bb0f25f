/* Names in orders, numbered in a hash table: thousands of orders are compiled in linear time. */
#ifndef GATECTL_GATES_NAMES_H
#define GATECTL_GATES_NAMES_H

#include "tracer/base/array.h"

#include <stdbool.h>
#include <stdint.h>

struct place;

struct known_name {
	const char *text, *thread; /* borrowed strings; thread NULL: any */
	ARRAY(struct place *) places;
	ARRAY(size_t) edges; /* indexes of the edges that begin at this name */
	size_t incoming;     /* number of edges that end at this name */
};

struct order_names {
	ARRAY(struct known_name) known;
	uint32_t *slots;   /* index into `known` + 1; 0: free */
	size_t slot_count; /* a power of two, or 0 */
};

/* Returns the index of the name in `known`; adds it if it is new. The strings are not copied. */
size_t order_names_number(struct order_names *n, const char *text, const char *thread);
/* Returns the name, or NULL if it is unknown. Valid until the next new name. */
struct known_name *order_names_find(struct order_names *n, const char *text, const char *thread);
/* Frees the members; the names' strings are the caller's. */
void order_names_fini(struct order_names *n);

#endif
