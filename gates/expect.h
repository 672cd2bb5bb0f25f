/* Inside gates: what verdict.c asks about the expectations of expect.c. */
#ifndef GATES_EXPECT_H
#define GATES_EXPECT_H

#include "gates/verdict.h"

/* In words, with a comma where something stands before. */
void expect_print_more(const struct expect *x, struct str *out);
void expect_print_checks(const struct expect *x, struct str *out);
/* True where something does not hold; then it is in `out`. */
bool expect_unmet_more(const struct expect *x, const struct outcome *o, struct str *out);
bool expect_unmet_checks(const struct outcome *o, struct str *out);

#endif
