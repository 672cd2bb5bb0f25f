/* Parts of tracer/harness/object. */
#ifndef GATECTL_HARNESS_OBJECT_OBJECT_H
#define GATECTL_HARNESS_OBJECT_OBJECT_H

#include "tracer/harness/hunt.h"

/* Returns the next item of a list separated by commas, or NULL; advances *at. */
const char *object_next_item(const char **at, size_t *length);
/* Returns the type as C text without typedefs; the caller frees it. */
char *object_plain_type(const struct harness_hunt *h, const struct signature_value *v);
/* Returns how the result of an operation is printed. */
enum harness_shown object_shown_result(const struct signature_value *v);
/* Fills an argument for the i-th parameter, with values. */
void object_take_argument(struct harness_hunt *h, const struct signature *of, size_t i,
			  struct harness_argument *a);
/* Appends what a constructor is given for the parameter. */
void object_add_guess(struct harness_hunt *h, const struct signature_value *v, struct str *out);

#endif
