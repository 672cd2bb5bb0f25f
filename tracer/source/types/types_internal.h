/* Between the files of types: the table of a module's types, and how one is made. */
#ifndef GATECTL_SOURCE_TYPES_TYPES_INTERNAL_H
#define GATECTL_SOURCE_TYPES_TYPES_INTERNAL_H

#include "tracer/source/types/types.h"

struct named_type {
	uint64_t unit; /* the entry that was near; 0 none */
	char *name;
	const struct type *type; /* NULL: there is none */
};

struct type_table {
	struct type **slots; /* by `key`, linear probing; the size is a power of two */
	uint64_t *keys;
	size_t size, count;
	unsigned depth; /* of types within types, in the making */
	ARRAY(struct named_type) named;
};

struct type_table *type_table_of(struct die_table *d);

/* A number that is no reference and no expression. */
bool type_constant(const struct entry *e, unsigned name, int64_t *out);
/* Value of a constant as a type of that size holds it. */
int64_t type_fit(const struct type *t, uint64_t value);
/* Of unknown size where it has no count. */
const struct type *type_make_array(const struct type *of, bool has_count, uint64_t count);

/* "unsigned long", "long unsigned int", "signed char" ...: the built-in one, or NULL. */
const struct type *type_basic(const char *name);

#endif
