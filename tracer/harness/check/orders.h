/* Whole calls, one after the other: what they give, run twice on the real code, by two processes. What begins
   like an order that has not come back is not run: it ends there, too. */
#ifndef GATECTL_HARNESS_CHECK_ORDERS_H
#define GATECTL_HARNESS_CHECK_ORDERS_H

#include "tracer/harness/harness.h"

enum {
	ORDER_CALLS = SCHEMA_SIZE,
	/* Of the program's, in the text of an order: the call and, so many times more, the thread that makes it. */
	ORDER_THREAD = 65536,
};

enum order_end {
	ORDER_UNKNOWN, /* it was not run yet */
	ORDER_OK,
	ORDER_UNMADE,  /* there is no object: the constructor has failed */
	ORDER_BLOCKED, /* a call was stopped: it had not come back */
	ORDER_SIGNAL,
	ORDER_EXIT,
};

/* How a call was when it was stopped; the numbers are those of the program. */
enum order_stop {
	ORDER_SLEEPS = 1, /* in a futex, without a limit */
	ORDER_COMPUTES,	  /* a quarter of a second of the processor's time */
	ORDER_WAITS, /* half a second asleep, in a call with a limit; or five seconds of both */
};

struct harness_order {
	unsigned count,
		calls[ORDER_CALLS]; /* % ORDER_THREAD; by thread / ORDER_THREAD, 0 the first */
	enum order_end end;
	int number;		  /* of the signal; the status; an order_stop */
	int done;		  /* calls that came back; -1: the object was not made yet */
	char *given[ORDER_CALLS]; /* "push(1)=0" */
};

/* Wants the sequence: its index. */
size_t harness_orders_want(struct harness_orders *o, const unsigned *calls, unsigned count);
/* Until the next one is wanted. */
const struct harness_order *harness_orders_get(const struct harness_orders *o, size_t index);
/* Runs all that were not run yet, until --for is over: see harness_left(). 0, or -1. `*varied`: an operation was found whose results differ from run to
   run; it is marked, and everything is to be asked anew, of a program that was compiled anew. */
int harness_orders_run(struct harness_hunt *h, bool *varied);
void harness_orders_clear(struct harness_hunt *h); /* there are none yet */
void harness_orders_free(struct harness_hunt *h);

#endif
