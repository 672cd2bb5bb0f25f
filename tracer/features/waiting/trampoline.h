/*
 * What a thread runs whose start routine is a trampoline: a routine of a library (or of the
 * tester's own) that calls the function it was passed. The thread keeps its id
 * (linux_pthread_proxy#3), and is also called by that function.
 *
 * It is known once the thread is stopped inside the function: at its first arrival there, or when
 * the verdict looks at all threads.
 */
#ifndef GATECTL_FEATURES_WAITING_TRAMPOLINE_H
#define GATECTL_FEATURES_WAITING_TRAMPOLINE_H

#include "tracer/run/state.h"

/* Kept with a thread. */
struct trampoline {
	const char *runs;  /* the function that it was passed, or NULL. Owned by a module */
	bool known;	   /* ... and that is final */
	bool from_library; /* its start routine is a library's */
	unsigned looks;
};
const struct trampoline *trampoline_of(const struct run_thread *t);
/* Learns what it can from the calls of the thread. */
void trampoline_see(struct run_thread *t, const struct inspect_stack *stack);
/* In brackets after the id: " (worker_fn)", or " (named pool-2)" if only that is known; or "". */
void trampoline_describe(const struct run_thread *t, struct str *out);

#endif
