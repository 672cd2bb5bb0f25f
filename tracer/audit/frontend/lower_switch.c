/* Lowers switch statements. */
#include "tracer/audit/frontend/reader.h"

/* Comparison of the value that is switched on with the case's, or NULL for either way: only a local
   may be evaluated again. */
static struct audit_expr *case_condition(struct lower *l, CXCursor c, struct audit_expr *select,
					 struct audit_expr *value)
{
	struct audit_expr *e;

	if (select->kind != EXPR_LOCAL || !value)
		return NULL;
	e = lower_new(l, EXPR_EQUAL, c, 2);
	e->operands[0] = select;
	e->operands[1] = value;
	return e;
}

void lower_switch(struct lower *l, CXCursor c, const struct cursors *parts)
{
	struct audit_expr *value = lower_expr(l, parts->items[0]);
	unsigned select, behind = lower_block_new(l), otherwise = behind;
	size_t outer_cases = l->cases.count;
	const struct lower_target breaks = l->breaks;

	lower_step(l, value);
	select = lower_block_new(l);
	lower_go(l, select);
	l->breaks = lower_target_at(l, behind);
	lower_statement(l, parts->items[1]);
	l->breaks = breaks;
	lower_jump(l, behind);
	/* Branches to any of the cases, or past them without a default. */
	l->block = select;
	for (size_t i = outer_cases; i < l->cases.count; i++) {
		const struct lower_case to = l->cases.items[i];
		unsigned next;

		if (to.is_default) {
			otherwise = to.block;
			continue;
		}
		next = lower_block_new(l);
		lower_branch(l, case_condition(l, c, value, to.value), to.block, next);
		l->block = next;
	}
	lower_jump(l, otherwise);
	l->cases.count = outer_cases;
	l->block = behind;
}

void lower_case(struct lower *l, const struct cursors *parts, bool is_default)
{
	const unsigned here = lower_block_new(l);
	struct lower_case is = {here, NULL, is_default};

	lower_jump(l, here);
	l->block = here;
	/* A range has two values. */
	if (!is_default && parts->count == 2)
		is.value = lower_expr(l, parts->items[0]);
	*array_add(&l->cases) = is;
	if (parts->count)
		lower_statement(l, parts->items[parts->count - 1]);
}
