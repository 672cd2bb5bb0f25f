#ifndef GATECTL_FEATURES_ORDER_LOG_ORDER_LOG_H
#define GATECTL_FEATURES_ORDER_LOG_ORDER_LOG_H

#include <stdbool.h>

/*
 * The order of events in several runs, as far as gates can force it: when threads pass places,
 * gates open, events, signals and logs. It does not matter whether a thread was held before it
 * passed, nor when threads start and exit. Memory is bounded: a million events of the first run,
 * none of the others.
 */
struct order_log *order_log_new(void);
void order_log_free(struct order_log *log);
void order_log_begin(struct order_log *log); /* the next run */
/* How the order differs, in words; NULL: it was the same in all runs. Valid until _free. */
const char *order_log_difference(struct order_log *log);
/* Was the order the same only if some threads of one start routine swap roles? */
bool order_log_swapped(struct order_log *log);

#endif
