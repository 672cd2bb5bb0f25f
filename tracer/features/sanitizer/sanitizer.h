/* Programs built with sanitizers. */
#ifndef GATECTL_FEATURES_SANITIZER_SANITIZER_H
#define GATECTL_FEATURES_SANITIZER_SANITIZER_H

#include <stdbool.h>

struct run_thread;

/* Is it a thread of a sanitizer's runtime, and not of the program? */
bool sanitizer_owns(const struct run_thread *t);

#endif
