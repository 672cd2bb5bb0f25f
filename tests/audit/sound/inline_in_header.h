/* A flag others wait for, whose quick functions are inline: they are the module's own, wherever they end up. */
#ifndef INLINE_IN_HEADER_H
#define INLINE_IN_HEADER_H

#include <stdatomic.h>
#include <stdbool.h>

struct cancel {
	atomic_bool asked;
	const char *reason; /* written before it is asked, by one thread */
};

static inline bool cancel_asked(struct cancel *cancel)
{
	return atomic_load(&cancel->asked);
}

struct cancel *cancel_new(const char *reason);
void cancel_ask(struct cancel *cancel);
const char *cancel_reason(const struct cancel *cancel);

#endif
