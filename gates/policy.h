/*
 * Who of the threads that could go is let go next. A search strategy or a recorded schedule is
 * another table of this kind, not a mode of the engine.
 */
#ifndef GATECTL_GATES_POLICY_H
#define GATECTL_GATES_POLICY_H

#include "gates/engine.h"

struct policy {
	void *ctx;
	/* Which of the candidates (in order of arrival, at least one) is asked next; its condition
	   may still say no, then it is not offered again until something has changed. */
	size_t (*next)(void *ctx, struct engine_thread *const *candidates, size_t count);
};

extern const struct policy policy_arrival; /* who came first goes first: the default */

void engine_set_policy(struct engine *e, const struct policy *policy); /* copied */

#endif
