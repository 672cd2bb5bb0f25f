#ifndef GATECTL_FEATURES_ORDER_LOG_ORDER_LOG_H
#define GATECTL_FEATURES_ORDER_LOG_ORDER_LOG_H

#include <stdbool.h>

/* The order of events in several runs, as far as gates can force it: threads pass places, gates
 * open, events, signals, logs. Holds and the start and exit of threads do not count. At most a
 * million events of the first run are kept. Returns a log, freed with order_log_free(). */
struct order_log *order_log_new(void);
/* Frees the log; NULL is permitted. */
void order_log_free(struct order_log *log);
/* Begins the next run. */
void order_log_begin(struct order_log *log);
/* Returns a description of the first difference, or NULL if the order was the same in all runs. The
 * text is valid until order_log_free(). */
const char *order_log_difference(struct order_log *log);
/* True if the order was the same only after renaming threads that share a start routine. */
bool order_log_swapped(struct order_log *log);

#endif
