/* Programs built with sanitizers. */
#ifndef GATECTL_FEATURES_SANITIZER_SANITIZER_H
#define GATECTL_FEATURES_SANITIZER_SANITIZER_H

#include <stdbool.h>

struct run_thread;

/* True if the thread belongs to a sanitizer's runtime, not to the program. */
bool sanitizer_owns(const struct run_thread *t);

#endif
