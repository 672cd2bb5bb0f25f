/* A function of C becomes blocks of expressions: what lower_stmt.c and lower_expr.c share. */
#ifndef GATECTL_AUDIT_LOWER_H
#define GATECTL_AUDIT_LOWER_H

#include "tracer/audit/reader.h"

struct lower_label {
	unsigned name, block;
};

struct lower {
	struct audit_reader *reader;
	struct audit_function *function;
	unsigned block; /* the one that is being filled */
	unsigned breaks, continues;
	struct {
		unsigned breaks, continues; /* how many cleanups were there outside */
	} outside;
	struct cursors declared; /* of the locals, in their order */
	ARRAY(struct lower_label) labels;
	ARRAY(unsigned) cleanups; /* locals of the scopes that are open */
	ARRAY(unsigned) cases;	  /* blocks of the switches that are open */
	bool has_default;	  /* of the innermost switch */
};

struct audit_expr *lower_new(struct lower *l, enum audit_expr_kind kind, CXCursor c,
			     unsigned operands);
/* Statements within it go to the block that is open. Never NULL. */
struct audit_expr *lower_expr(struct lower *l, CXCursor c);
void lower_step(struct lower *l, struct audit_expr *e);
/* All of a ({ }); its value. */
struct audit_expr *lower_inner(struct lower *l, CXCursor compound);
/* Index + 1 of the locals; 0: it is none. */
unsigned lower_local(const struct lower *l, CXCursor declaration);

#endif
