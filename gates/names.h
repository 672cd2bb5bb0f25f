/* Names of orders, numbered: what is kept for each of thousands is found at once. */
#ifndef GATECTL_GATES_NAMES_H
#define GATECTL_GATES_NAMES_H

#include "tracer/base/array.h"

#include <stdbool.h>
#include <stdint.h>

struct place;

struct known_name {
	const char *text, *thread; /* not copied; thread NULL: any */
	ARRAY(struct place *) places;
	ARRAY(size_t) edges; /* that begin here */
	size_t incoming;
};

struct order_names {
	ARRAY(struct known_name) known;
	uint32_t *slots; /* number + 1 into known; 0 is free */
	size_t slot_count;
};

/* The number of this name; a new one where it was not known. */
size_t order_names_number(struct order_names *n, const char *text, const char *thread);
/* NULL: it is not known. Valid until the next new name. */
struct known_name *order_names_find(struct order_names *n, const char *text, const char *thread);
void order_names_fini(struct order_names *n);

#endif
