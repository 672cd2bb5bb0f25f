/*
 * What a contract allows a call to give: a Lua file that returns a function, or a table with all that is allowed.
 *
 *	return function(call) return call.result >= 0 end
 *	return { 0, 1, "a" }
 *
 * The function is asked for a call that gave what no order of whole calls explains; true allows it. `call` has
 * .call ("size()"), .result (what it gave first), .results (also what its out-parameters show, from 1), and
 * .atomic (the results that orders of whole calls give there, a list).
 */
#ifndef GATECTL_LUA_WEAKEN_H
#define GATECTL_LUA_WEAKEN_H

#include "tracer/base/error.h"

#include <stddef.h>

struct script_weaken;

struct script_weak_call {
	const char *call;  /* "size()" */
	const char *given; /* "1,2"; numbers, NULL or texts in quotes, with commas between */
	const char *const *atomic; /* as `given` */
	size_t atomic_count;
};

/* NULL with ERROR_SCRIPT: it cannot be read, is faulty, or returns something else. */
struct script_weaken *script_weaken_new(const char *path, struct error *err);
void script_weaken_free(struct script_weaken *w); /* NULL is fine */
/* 1: allowed; 0: not; -1: a fault. */
int script_weaken_allows(struct script_weaken *w, const struct script_weak_call *call,
			 struct error *err);

#endif
