/* Whole calls, one after the other: what they give, run twice on the real code. */
#ifndef GATECTL_EXPERIMENTS_HARNESS_ORDERS_H
#define GATECTL_EXPERIMENTS_HARNESS_ORDERS_H

#include "tracer/experiments/harness.h"

enum { ORDER_CALLS = 16 };

enum order_end {
	ORDER_UNKNOWN, /* it was not run yet */
	ORDER_OK,
	ORDER_UNMADE, /* there is no object: the constructor has failed */
	ORDER_BLOCKED,
	ORDER_SIGNAL,
	ORDER_EXIT,
};

struct harness_order {
	unsigned count, calls[ORDER_CALLS];
	enum order_end end;
	int number;		  /* of the signal, the status */
	int done;		  /* calls that came back; -1: the object was not made yet */
	char *given[ORDER_CALLS]; /* "push(1)=0" */
};

/* Wants the sequence: its index. */
size_t harness_orders_want(struct harness_orders *o, const unsigned *calls, unsigned count);
/* Until the next one is wanted. */
const struct harness_order *harness_orders_get(const struct harness_orders *o, size_t index);
/* Runs all that were not run yet. 0, or -1. `*varied`: an operation was found whose results differ from run to
   run; it is marked, and everything is to be asked anew, of a program that was compiled anew. */
int harness_orders_run(struct harness_hunt *h, bool *varied);
void harness_orders_clear(struct harness_hunt *h); /* there are none yet */
void harness_orders_free(struct harness_hunt *h);

#endif
