/* Parts of signatures.c. */
#ifndef GATECTL_SOURCE_TYPES_SIGNATURES_H
#define GATECTL_SOURCE_TYPES_SIGNATURES_H

#include "tracer/source/types/types.h"

/* Returns true for a constructor ("_new") or a destructor ("_delete") of C++. */
bool signature_is_special(const struct signature *s, const char *ending);
/* Returns true if the size is known, and there is no floating-point member: a struct of as many
   bytes is passed like it (System V ABI, 3.2.3). */
bool signature_passes_as_bytes(const struct type *t);
/* Returns true for a struct or union of known size. */
bool signature_has_size(const struct type *t);

#endif
