/* Programs built with sanitizers. */
#ifndef GATECTL_FEATURES_SANITIZER_SANITIZER_H
#define GATECTL_FEATURES_SANITIZER_SANITIZER_H

#include <stdbool.h>

/* Does a thread with this start routine belong to a sanitizer? NULL: it has no name. */
bool sanitizer_owns(const char *routine);

#endif
