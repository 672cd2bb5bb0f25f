/* What in a module may lead to a place of it, whoever put it there: judged by bytes alone. */
#ifndef GATECTL_SOURCE_FLOW_REFERENCES_H
#define GATECTL_SOURCE_FLOW_REFERENCES_H

#include "tracer/elf/module_tables.h"

/*
 * Is there anything in the loaded bytes of the file that may be one of these addresses (in ascending order), or in its code the
 * distance to one? Of four bytes or more, so that it hardly ever is by chance: a short jump is not found.
 */
bool references_to(const struct module *m, const uint64_t *addresses, size_t count);

#endif
