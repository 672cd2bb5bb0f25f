/* Internal to types: the table of a module's types and how a type is made. */
#ifndef GATECTL_SOURCE_TYPES_TYPES_INTERNAL_H
#define GATECTL_SOURCE_TYPES_TYPES_INTERNAL_H

#include "tracer/source/types/types.h"

/* Cached result of type_named(). */
struct named_type {
	uint64_t unit; /* offset of the unit searched first; UINT64_MAX if none */
	char *name;
	const struct type *type; /* never NULL */
};

struct type_table {
	struct type **slots; /* open addressing by `key`, linear probing; size is a power of two */
	uint64_t *keys;
	size_t size, count;
	unsigned depth; /* nesting of types that are being made */
	ARRAY(struct named_type) named;
};

/* Returns the module's table, created on first use. Owned by the module. */
struct type_table *type_table_of(struct die_table *d);

/* Reads a constant attribute. Returns false for references and expressions. */
bool type_constant(const struct entry *e, unsigned name, int64_t *out);
/* Returns the value truncated to the type's size, sign-extended if the type is signed. */
int64_t type_fit(const struct type *t, uint64_t value);
/* Returns the type "array of `count` elements", cached and owned by `of`. Its size is
   unknown without a count. */
const struct type *type_make_array(const struct type *of, bool has_count, uint64_t count);

/* Returns the built-in type of a C number ("unsigned long", "long unsigned int",
   "signed char"), or NULL. */
const struct type *type_basic(const char *name);

#endif
