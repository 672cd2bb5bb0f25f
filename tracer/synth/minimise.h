/* The fewest orders with which a program comes out the same: each is tried without. */
#ifndef GATECTL_SYNTH_MINIMISE_H
#define GATECTL_SYNTH_MINIMISE_H

#include <stdbool.h>
#include <stddef.h>

/* All orders of one rank are tried before those of the next. */
enum minimise_rank { MINIMISE_FIRST, MINIMISE_SECOND, MINIMISE_NEVER };

struct minimise_orders {
	void *ctx;
	size_t count;
	/* Whether the order is left out. NULL: the plan no longer has it. */
	bool *(*dropped)(void *ctx, size_t order);
	/* Asked before each try, since it may depend on what is left out by then. */
	enum minimise_rank (*rank)(void *ctx, size_t order);
	/* Does the outcome depend on it? 1, 0, or -1: stop. */
	int (*is_needed)(void *ctx, size_t order);
};

/* Returns 0, or -1: stop. */
int minimise_orders(const struct minimise_orders *m);
/* Puts back the last order that is left out, which was tried beside the fewest others; or `all`.
   Returns the first one that is back; `count` if none was left out. */
size_t minimise_put_back(const struct minimise_orders *m, bool all);

#endif
