/* Functions and their copies by the last part of their name, for many questions. */
#ifndef GATECTL_SOURCE_NAMES_FUNCTIONS_INDEX_H
#define GATECTL_SOURCE_NAMES_FUNCTIONS_INDEX_H

#include "tracer/source/names/functions.h"

struct scope_refs {
	struct scope_ref *items;
	size_t count, capacity;
};

/* Appends those whose own name, template arguments left out, is `name`, and maybe a few others, in the order of
   the debug information. False: there is no index; few names were asked for, or it cannot be made. */
bool function_index_find(struct die_table *t, const char *name, struct scope_refs *out);

#endif
