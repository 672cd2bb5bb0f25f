/*
 * What a pointer or a value is, as far as a function's text says: parameter 1; the field `head` of what it points to;
 * what was loaded from there. The same term is the same number, so that objects and locks are compared by it. An
 * address that was loaded twice from one place is taken for the same one.
 */
#ifndef GATECTL_AUDIT_FLOW_TERM_H
#define GATECTL_AUDIT_FLOW_TERM_H

#include "tracer/audit/frontend/program.h"
#include "tracer/base/text/str.h"

enum term_kind {
	TERM_UNKNOWN,
	TERM_CONSTANT,	/* a: the number */
	TERM_PARAMETER, /* a: which one's value */
	TERM_GLOBAL,	/* a: USR; its address */
	TERM_LOCAL,	/* a: function's USR, b: local; its address */
	TERM_PRIVATE,	/* the address of something that the thread alone has; a: site */
	TERM_FUNCTION,	/* a: USR */
	TERM_FRESH,	/* a: site of the call that allocated it, b: 1: zeroed */
	TERM_SITE,	/* a: site; what came of it, one value each time */
	TERM_JOIN,	/* a: block's number, b: local; one of several */
	TERM_LOAD,	/* a: term of the address */
	TERM_FIELD,   /* a: term of the struct's address, b: of the program's fields; an address */
	TERM_ELEMENT, /* a: term of the array's address */
	TERM_DERIVED, /* a: term; computed from it */
	TERM_EQUAL,   /* a: term, b: a number; whether it is that */
	TERM_TRIED,   /* a: lock's term, b: an audit_tried */
	TERM_RESULT,  /* what the function gives back: in effects alone */
};

/* What the result of a try says: the lock was taken if it is 0, or if it is not; for reading. */
enum audit_tried { TRIED_ZERO = 0, TRIED_NOT_ZERO = 1, TRIED_SHARED = 2 };

struct term {
	enum term_kind kind;
	unsigned a, b;
};

struct terms {
	ARRAY(struct term) all; /* the first is TERM_UNKNOWN */
	unsigned *slots;
	size_t size;
};

unsigned term_of(struct terms *t, enum term_kind kind, unsigned a, unsigned b);
static inline struct term term_at(const struct terms *t, unsigned term)
{
	return t->all.items[term];
}
/* The object that it is part of: without fields and elements. */
unsigned term_object(const struct terms *t, unsigned term);
/* What everything was loaded from in the end. */
unsigned term_root(const struct terms *t, unsigned term);
/* Is `part` the term itself, or does the term contain it? */
bool term_contains(const struct terms *t, unsigned term, unsigned part);
/* The same with `by` where `part` is. */
unsigned term_replace(struct terms *t, unsigned term, unsigned part, unsigned by);
/* Another function's term, with values for its parameters. */
struct term_binding {
	const unsigned *arguments;
	unsigned count, result;			       /* result: for TERM_RESULT */
	unsigned (*load)(void *ctx, unsigned address); /* what is there now; may be NULL */
	void *ctx;
};
unsigned term_bind(struct terms *t, unsigned term, const struct term_binding *b);
/* The same, of some object, where nobody knows of which one. */
unsigned term_bind_or_any(struct terms *t, unsigned term, const struct term_binding *b);
/* As C: "q->head". `f` names the parameters. */
void term_print(const struct terms *t, const struct audit_program *p,
		const struct audit_function *f, unsigned term, struct str *out);
void terms_fini(struct terms *t);

#endif
