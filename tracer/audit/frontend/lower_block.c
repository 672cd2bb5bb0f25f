/* Blocks, and how one leads to others. */
#include "tracer/audit/frontend/lower.h"

unsigned lower_block_new(struct lower *l)
{
	array_add(&l->function->blocks)->end = END_NEVER;
	return (unsigned)l->function->blocks.count - 1;
}

struct audit_block *lower_open_block(struct lower *l)
{
	return &l->function->blocks.items[l->block];
}

void lower_jump(struct lower *l, unsigned to)
{
	lower_open_block(l)->end = END_JUMP;
	lower_open_block(l)->to = to;
}

void lower_branch(struct lower *l, struct audit_expr *condition, unsigned yes, unsigned no)
{
	struct audit_block *b = lower_open_block(l);

	b->end = END_BRANCH;
	b->value = condition;
	b->to = yes;
	b->otherwise = no;
}

void lower_step(struct lower *l, struct audit_expr *e)
{
	*array_add(&lower_open_block(l)->steps) = e;
}

static void lower_choice(struct lower *l, const struct audit_expr *e, unsigned yes, unsigned no);

void lower_condition(struct lower *l, struct audit_expr *e, unsigned yes, unsigned no)
{
	unsigned next;

	switch (e->kind) {
	case EXPR_NOT:
		lower_condition(l, e->operands[0], no, yes);
		return;
	case EXPR_AND:
	case EXPR_OR:
		next = lower_block_new(l);
		lower_condition(l, e->operands[0], e->kind == EXPR_AND ? next : yes,
				e->kind == EXPR_AND ? no : next);
		l->block = next;
		lower_condition(l, e->operands[1], yes, no);
		return;
	case EXPR_CHOICE:
		lower_choice(l, e, yes, no);
		return;
	case EXPR_LAST:
		for (unsigned i = 0; i + 1 < e->count; i++)
			lower_step(l, e->operands[i]);
		lower_condition(l, e->operands[e->count - 1], yes, no);
		return;
	default:
		lower_branch(l, e, yes, no);
	}
}

/* One of the two alone is evaluated: a macro's may lock, and unlock. */
static void lower_choice(struct lower *l, const struct audit_expr *e, unsigned yes, unsigned no)
{
	const unsigned first = lower_block_new(l), second = lower_block_new(l);

	lower_condition(l, e->operands[0], first, second);
	l->block = first;
	lower_condition(l, e->operands[1], yes, no);
	l->block = second;
	lower_condition(l, e->operands[2], yes, no);
}
