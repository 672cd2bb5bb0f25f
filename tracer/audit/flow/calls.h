/* Functions that everybody knows: of libc, of libraries with locks, of the options. */
#ifndef GATECTL_AUDIT_FLOW_CALLS_H
#define GATECTL_AUDIT_FLOW_CALLS_H

#include "tracer/audit/audit.h"

enum call_effect {
	DOES_LOCK,
	DOES_LOCK_SHARED,
	DOES_TRY,
	DOES_TRY_SHARED,
	DOES_TRY_TRUE, /* not 0: it was taken */
	DOES_TRY_TRUE_SHARED,
	DOES_UNLOCK,
	DOES_INIT,
	DOES_INIT_RECURSIVE,
	DOES_DESTROY,
	DOES_ALLOCATE,
	DOES_ALLOCATE_ZEROED,
	DOES_FREE,
	DOES_THREAD, /* the fourth argument is its own */
	DOES_C11_THREAD,
	DOES_JOIN,
	DOES_ONCE,
	DOES_WRITE, /* what the first argument points to */
	DOES_COPY,  /* ... from the second */
	DOES_END,
	DOES_SET_JUMP, /* who comes back there comes from elsewhere, with what is held there */
	DOES_NOTHING,
};

/* DOES_NOTHING: it is none of them. */
enum call_effect call_effect_of(const struct audit_options *o, const char *name);
/* A library's own way to make a thread, by its name. */
bool call_may_make_thread(const char *name);

#endif
