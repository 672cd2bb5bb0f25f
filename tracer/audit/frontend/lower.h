/* A function of C becomes blocks of expressions: what lower_stmt.c, lower_expr.c and lower_block.c share. */
#ifndef GATECTL_AUDIT_FRONTEND_LOWER_H
#define GATECTL_AUDIT_FRONTEND_LOWER_H

#include "tracer/audit/frontend/reader.h"

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
/* To the block that is open. */
void lower_step(struct lower *l, struct audit_expr *e);
/* The block that is open; it moves when there are more. */
struct audit_block *lower_open_block(struct lower *l);
/* Its index. */
unsigned lower_block_new(struct lower *l);
/* How the block that is open ends; the next one is opened by l->block = ... */
void lower_jump(struct lower *l, unsigned to);
void lower_branch(struct lower *l, struct audit_expr *condition, unsigned yes, unsigned no);
/* With a block of its own for each part of && || ! ?: and the comma. */
void lower_condition(struct lower *l, struct audit_expr *e, unsigned yes, unsigned no);
/* All of a ({ }); its value. */
struct audit_expr *lower_inner(struct lower *l, CXCursor compound);
/* Index + 1 of the locals; 0: it is none. */
unsigned lower_local(const struct lower *l, CXCursor declaration);

#endif
