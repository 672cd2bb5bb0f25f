/* Expressions, as C evaluates them. */
#include "tracer/audit/flow/flow.h"

static struct terms *terms_of(struct audit_flow *w)
{
	return &w->audit->terms;
}

/* What came of it is one thing: it is new each time. */
static unsigned anything(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned term = term_of(terms_of(w), TERM_SITE, e->site, 0);

	state_forget(s, terms_of(w), term);
	return term;
}

/* ---- places -------------------------------------------------------------------------------------------------- */

static unsigned evaluate_address(struct audit_flow *w, struct state *s, const struct audit_expr *e);

static unsigned member_address(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned base = e->is_arrow ? evaluate(w, s, e->operands[0])
				    : evaluate_address(w, s, e->operands[0]);

	if (!base || term_at(terms_of(w), base).kind == TERM_CONSTANT)
		base = anything(w, s, e);
	return term_of(terms_of(w), TERM_FIELD, base, e->id);
}

static unsigned evaluate_address(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned base;

	switch (e->kind) {
	case EXPR_LOCAL:
		return term_of(terms_of(w), TERM_LOCAL, w->function->usr, e->id);
	case EXPR_GLOBAL:
		return term_of(terms_of(w), TERM_GLOBAL, e->id, 0);
	case EXPR_PRIVATE:
		return term_of(terms_of(w), TERM_PRIVATE, e->site, 0);
	case EXPR_MEMBER:
		return member_address(w, s, e);
	case EXPR_DEREF:
		return evaluate(w, s, e->operands[0]);
	case EXPR_INDEX:
		base = evaluate(w, s, e->operands[0]);
		evaluate(w, s, e->operands[1]);
		return term_of(terms_of(w), TERM_ELEMENT, base, 0);
	default:
		return evaluate(w, s, e);
	}
}

static bool is_atomic_place(const struct audit_flow *w, unsigned address)
{
	const struct audit_program *p = w->audit->program;
	struct term is = term_at(&w->audit->terms, address);

	while (is.kind == TERM_ELEMENT)
		is = term_at(&w->audit->terms, is.a);
	return is.kind == TERM_FIELD && p->fields.items[is.b].is_atomic;
}

static unsigned evaluate_load(struct audit_flow *w, struct state *s, unsigned address,
			      const struct audit_expr *e)
{
	const struct term is = term_at(terms_of(w), address);

	if (e->decays)
		return address;
	if (is.kind == TERM_LOCAL && is.a == w->function->usr)
		return s->values[is.b];
	object_read(w, s, address, e, is_atomic_place(w, address));
	state_load(s, terms_of(w), term_of(terms_of(w), TERM_LOAD, address, 0));
	return is.kind == TERM_FIELD && state_out(s, address)
		       ? state_out(s, address)
		       : term_of(terms_of(w), TERM_LOAD, address, 0);
}

/* What is there, when who changes it is what counts. */
static unsigned old_value(struct audit_flow *w, struct state *s, unsigned address)
{
	const struct term is = term_at(terms_of(w), address);

	if (is.kind == TERM_LOCAL && is.a == w->function->usr)
		return s->values[is.b];
	return term_of(terms_of(w), TERM_LOAD, address, 0);
}

/* ---- values --------------------------------------------------------------------------------------------------- */

/* How much it says: something that was loaded may have been changed meanwhile. */
static unsigned weight(const struct terms *t, unsigned value)
{
	struct term is = term_at(t, value);

	if (is.kind == TERM_DERIVED)
		is = term_at(t, is.a);
	return is.kind == TERM_LOAD ? 3 : is.kind == TERM_CONSTANT || !value ? 0 : 2;
}

static unsigned derived(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned of = 0;

	for (unsigned i = 0; i < e->count; i++) {
		unsigned value = evaluate(w, s, e->operands[i]);

		if (e->is_pointer && !e->operands[i]->is_pointer)
			continue;
		if (weight(terms_of(w), value) > weight(terms_of(w), of))
			of = value;
	}
	of = term_of(terms_of(w), e->is_pointer ? TERM_ELEMENT : TERM_DERIVED, of, 0);
	return of ? of : anything(w, s, e);
}

/* Whether a try has succeeded, compared with 0, says so still. */
static unsigned compared(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned values[2] = {evaluate(w, s, e->operands[0]), 0};
	struct term is = term_at(terms_of(w), values[0]), with = {TERM_CONSTANT, 0, 0};

	if (e->count > 1) {
		values[1] = evaluate(w, s, e->operands[1]);
		with = term_at(terms_of(w), values[1]);
	}
	if (is.kind == TERM_TRIED && with.kind == TERM_CONSTANT && !with.a)
		return term_of(terms_of(w), TERM_TRIED, is.a,
			       is.b ^ (e->kind == EXPR_UNEQUAL ? 0 : TRIED_NOT_ZERO));
	if (is.kind == TERM_CONSTANT && with.kind == TERM_CONSTANT)
		return term_of(terms_of(w), TERM_CONSTANT,
			       (is.a == with.a) != (e->kind == EXPR_UNEQUAL), 0);
	if (weight(terms_of(w), values[1]) > weight(terms_of(w), values[0]))
		values[0] = values[1];
	values[0] = term_of(terms_of(w), TERM_DERIVED, values[0], 0);
	return values[0] ? values[0] : anything(w, s, e);
}

/* Whoever compares the addresses of two objects orders their locks by them. */
static void note_comparison(struct audit_flow *w, const struct audit_expr *e)
{
	if (e->count == 2 && !e->is_pointer && e->operands[0]->is_pointer &&
	    e->operands[1]->is_pointer && e->operands[0]->record &&
	    e->operands[0]->record == e->operands[1]->record)
		w->compares = true;
}

static bool copies_whole(const struct audit_flow *w, const struct audit_expr *e)
{
	return e->record && e->operands[1]->decays && !e->operands[1]->is_pointer &&
	       program_is_shared(&w->audit->program->records.items[e->record - 1]);
}

/* What an initialiser in braces gives is no object. */
static void suspect_copy(struct audit_flow *w, struct state *s, unsigned object,
			 const struct audit_expr *e)
{
	const enum term_kind kind = term_at(terms_of(w), object).kind;

	if (object && !object_is_own(w, s, object) && kind != TERM_SITE && kind != TERM_DERIVED &&
	    kind != TERM_CONSTANT)
		suspect(w, &(struct suspicion){SUSPECT_ESCAPE, w->index, object, 0,
					       "is copied as a whole", e->at, e->at, false});
}

static unsigned assign(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned value = evaluate(w, s, e->operands[1]),
		 address = evaluate_address(w, s, e->operands[0]);
	bool atomic = is_atomic_place(w, address);

	if (e->is_update) {
		unsigned old = old_value(w, s, address);

		value = e->is_pointer ? term_of(terms_of(w), TERM_ELEMENT, old, 0)
				      : term_of(terms_of(w), TERM_DERIVED, old ? old : value, 0);
		if (!value)
			value = anything(w, s, e);
	} else if (copies_whole(w, e)) {
		suspect_copy(w, s, value, e->operands[1]);
	}
	object_write(w, s, address, value, e, atomic, e->is_update);
	return value;
}

static unsigned evaluate_step(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned address = evaluate_address(w, s, e->operands[0]), value;
	bool atomic = is_atomic_place(w, address);

	value = term_of(terms_of(w), e->is_pointer ? TERM_ELEMENT : TERM_DERIVED,
			old_value(w, s, address), 0);
	if (!value)
		value = anything(w, s, e);
	object_write(w, s, address, value, e, atomic, true);
	return value;
}

static unsigned atomic(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned address = e->count ? evaluate(w, s, e->operands[0]) : 0, value = 0;

	for (unsigned i = 1; i < e->count; i++) {
		unsigned is = evaluate(w, s, e->operands[i]);

		/* The order of memory is a constant; a value that is known is what is stored. */
		if (!value || term_at(terms_of(w), value).kind == TERM_CONSTANT)
			value = is;
	}
	if (e->id == ATOMIC_LOAD) {
		object_read(w, s, address, e, true);
		state_load(s, terms_of(w), term_of(terms_of(w), TERM_LOAD, address, 0));
		return term_of(terms_of(w), TERM_LOAD, address, 0);
	}
	object_write(w, s, address, value, e, true, e->id != ATOMIC_STORE);
	return anything(w, s, e);
}

static unsigned choice(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	const struct term of = term_at(terms_of(w), evaluate(w, s, e->operands[0]));
	unsigned a, b;

	/* Macros check the types of what they are given by what is never evaluated. */
	if (of.kind == TERM_CONSTANT)
		return evaluate(w, s, e->operands[of.a ? 1 : 2]);
	a = evaluate(w, s, e->operands[1]);
	b = evaluate(w, s, e->operands[2]);
	if (a == b || (e->is_pointer && term_at(terms_of(w), b).kind == TERM_CONSTANT))
		return a;
	if (e->is_pointer && term_at(terms_of(w), a).kind == TERM_CONSTANT)
		return b;
	return anything(w, s, e);
}

static unsigned last(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned value = 0;

	for (unsigned i = 0; i < e->count; i++)
		value = evaluate(w, s, e->operands[i]);
	return value;
}

unsigned evaluate(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	switch (e->kind) {
	case EXPR_LOCAL:
	case EXPR_GLOBAL:
	case EXPR_PRIVATE:
	case EXPR_MEMBER:
	case EXPR_DEREF:
	case EXPR_INDEX:
		return evaluate_load(w, s, evaluate_address(w, s, e), e);
	case EXPR_CONSTANT:
		return term_of(terms_of(w), TERM_CONSTANT, (unsigned)e->value, 0);
	case EXPR_FUNCTION:
		if (!number_map_get(&w->audit->program->taken, e->id))
			number_map_set(&w->audit->program->taken, e->id, TAKEN_SOMEHOW);
		return term_of(terms_of(w), TERM_FUNCTION, e->id, 0);
	case EXPR_ADDRESS:
		return evaluate_address(w, s, e->operands[0]);
	case EXPR_ASSIGN:
		return assign(w, s, e);
	case EXPR_STEP:
		return evaluate_step(w, s, e);
	case EXPR_CALL:
		return evaluate_call(w, s, e);
	case EXPR_ATOMIC:
		return atomic(w, s, e);
	case EXPR_CHOICE:
		return choice(w, s, e);
	case EXPR_LAST:
		return last(w, s, e);
	case EXPR_EQUAL:
	case EXPR_UNEQUAL:
	case EXPR_NOT:
		note_comparison(w, e);
		return compared(w, s, e);
	default:
		note_comparison(w, e);
		return derived(w, s, e);
	}
}

/* ---- conditions --------------------------------------------------------------------------------------------------- */

static bool is_comparison(const struct audit_expr *e)
{
	return e->kind == EXPR_EQUAL || e->kind == EXPR_UNEQUAL;
}

void evaluate_condition(struct audit_flow *w, struct state *s, const struct audit_expr *e,
			unsigned values[2])
{
	values[1] = 0;
	if (is_comparison(e)) {
		values[0] = evaluate(w, s, e->operands[0]);
		values[1] = evaluate(w, s, e->operands[1]);
	} else {
		values[0] = evaluate(w, s, e);
	}
}

/* A value is the same one until it is computed anew; of what is computed from it, two things may be known. */
static bool is_lasting(const struct terms *t, struct term is)
{
	if (is.kind == TERM_EQUAL)
		is = term_at(t, is.a);
	return is.kind != TERM_DERIVED && is.kind != TERM_ELEMENT;
}

static void know(struct audit_flow *w, struct state *s, unsigned term, bool is_zero,
		 struct audit_place at)
{
	const struct term is = term_at(terms_of(w), term);

	if (is.kind == TERM_CONSTANT || is.kind == TERM_GLOBAL || is.kind == TERM_LOCAL) {
		s->never |= is_zero != state_is_zero(s, terms_of(w), term);
		return;
	}
	/* Whoever asks once more what decided whether a lock is taken means the same answer. */
	array_each(struct audit_held, h, &s->held)
		h->is_unsure |= h->under == term && h->under_zero != is_zero;
	array_each(const struct state_truth, truth, &s->truths)
		if (truth->term == term) {
			s->never |= is_lasting(terms_of(w), is) && truth->is_zero != is_zero;
			if (truth->is_zero == is_zero)
				return;
		}
	if (is_zero && is.kind == TERM_SITE)
		lock_never_was(s, terms_of(w), term);
	if (is.kind == TERM_TRIED && is_zero == !(is.b & TRIED_NOT_ZERO))
		lock_tried(w, s, is.a, is.b & TRIED_SHARED, at);
	if (term)
		*array_add(&s->truths) = (struct state_truth){term, is_zero, false};
}

void evaluate_branch(struct audit_flow *w, struct state *s, const struct audit_expr *e,
		     const unsigned values[2], bool holds)
{
	struct term with = term_at(terms_of(w), values[1]);
	bool equal = (e->kind == EXPR_EQUAL) == holds;
	unsigned term = values[0];

	if (!is_comparison(e)) {
		know(w, s, term, !holds, e->at);
		return;
	}
	if (with.kind != TERM_CONSTANT) {
		with = term_at(terms_of(w), values[0]);
		term = values[1];
	}
	if (with.kind != TERM_CONSTANT)
		return;
	if (with.a)
		know(w, s, term_of(terms_of(w), TERM_EQUAL, term, with.a), !equal, e->at);
	if (!with.a || equal)
		know(w, s, term, equal && !with.a, e->at);
}
