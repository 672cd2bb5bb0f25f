/* Minimizes a set of orders that gives an outcome, by trying each order's removal. */
#ifndef GATECTL_SYNTH_MINIMISE_H
#define GATECTL_SYNTH_MINIMISE_H

#include <stdbool.h>
#include <stddef.h>

/* All orders of one rank are tried before those of the next. */
enum minimise_rank { MINIMISE_FIRST, MINIMISE_SECOND, MINIMISE_THIRD, MINIMISE_NEVER };

struct minimise_orders {
	void *ctx;
	size_t count;
	/* Returns the flag that the order is left out, or NULL if the plan no longer has it. */
	bool *(*dropped)(void *ctx, size_t order);
	/* Returns the rank. Called before each try, since it may depend on what is left out. */
	enum minimise_rank (*rank)(void *ctx, size_t order);
	/* Returns 1 if the outcome depends on the order, 0 if not, -1 to stop. */
	int (*is_needed)(void *ctx, size_t order);
};

/* Tries all orders of each rank but MINIMISE_NEVER. Returns 0, or -1 if is_needed() did. */
int minimise_orders(const struct minimise_orders *m);
/* Restores the last order left out, which was tried with the fewest others, or `all`. Returns the
   first restored one, or `count` if none was left out. */
size_t minimise_put_back(const struct minimise_orders *m, bool all);

#endif
