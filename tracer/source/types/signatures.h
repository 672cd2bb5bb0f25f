/* Names in C for functions of C++. */
#ifndef GATECTL_SOURCE_TYPES_SIGNATURES_H
#define GATECTL_SOURCE_TYPES_SIGNATURES_H

#include "tracer/source/types/types.h"

/* Returns true for a constructor ("_new") or a destructor ("_delete") of C++. */
bool signature_is_special(const struct signature *s, const char *ending);

#endif
