/* Programs built with sanitizers. */
#ifndef GATECTL_FEATURES_SANITIZER_SANITIZER_H
#define GATECTL_FEATURES_SANITIZER_SANITIZER_H

#include <stdbool.h>

/* Does a thread that begins there belong to a sanitizer? NULL: no name. */
bool sanitizer_owns(const char *routine);

#endif
