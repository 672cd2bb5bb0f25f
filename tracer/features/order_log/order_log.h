#ifndef GATECTL_FEATURES_ORDER_LOG_ORDER_LOG_H
#define GATECTL_FEATURES_ORDER_LOG_ORDER_LOG_H

#include <stdbool.h>

/*
 * The order of events in several runs: what gates can order, that is when threads pass places, gates
 * open, events, signals and logs. Whether a thread was held before it passed does not matter, nor when
 * threads start and exit. Bounded: of the first run a million events, of the others none.
 */
struct order_log *order_log_new(void);
void order_log_free(struct order_log *log);
void order_log_begin(struct order_log *log); /* the next run */
/* How it differs, in words; or NULL: the order was the same in all runs. Valid until _free. */
const char *order_log_difference(struct order_log *log);
/* It was, where some threads of one start routine are taken for each other. */
bool order_log_swapped(struct order_log *log);

#endif
