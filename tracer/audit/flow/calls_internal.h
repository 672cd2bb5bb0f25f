/* A call that is evaluated, for calls.c and calls_own.c. */
#ifndef GATECTL_AUDIT_FLOW_CALLS_INTERNAL_H
#define GATECTL_AUDIT_FLOW_CALLS_INTERNAL_H

#include "tracer/audit/flow/flow.h"

struct audit_call {
	struct audit_flow *w;
	struct state *s;
	const struct audit_expr *e;
	unsigned usr; /* 0 for a call by an unknown pointer */
	const char *name;
	unsigned count, *arguments;
	struct term_binding binding; /* for a function of the program */
	unsigned guesses; /* functions that the pointer may call, of which this is one; or 0 */
};

/* Returns the value of the argument with index `i`, or 0 if there is none. */
static inline unsigned call_argument(const struct audit_call *c, unsigned i)
{
	return i < c->count ? c->arguments[i] : 0;
}

/* ---- calls_own.c ---- */

/* Forgets locals whose address the callee gets, or may find. */
void call_forget_locals(const struct audit_call *c);
/* Evaluates the call of the function with this index and these facts. Returns the result. */
unsigned call_own(struct audit_call *c, unsigned index, const struct audit_facts *f);
/* Applies only the acquisitions of a function that may be called. */
void call_acquire(struct audit_call *c, const struct audit_facts *f);

#endif
