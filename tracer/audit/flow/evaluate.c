/* Evaluates expressions and conditions on abstract states. */
#include "tracer/audit/flow/flow.h"

/* ---- places ---------------------------------------------------------------------------------- */

static unsigned evaluate_address(struct audit_flow *w, struct state *s, const struct audit_expr *e);

static unsigned member_address(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned base = e->is_arrow ? evaluate(w, s, e->operands[0])
				    : evaluate_address(w, s, e->operands[0]);

	if (!base || term_kind(w->t, base) == TERM_CONSTANT)
		base = state_anything(s, w->t, e->site);
	return term_of(w->t, TERM_FIELD, base, e->id);
}

static unsigned evaluate_address(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned base;

	switch (e->kind) {
	case EXPR_LOCAL:
		return term_of(w->t, TERM_LOCAL, w->function->usr, e->id);
	case EXPR_GLOBAL:
		return term_of(w->t, TERM_GLOBAL, e->id, 0);
	case EXPR_PRIVATE:
		return term_of(w->t, TERM_PRIVATE, e->site, 0);
	case EXPR_MEMBER:
		return member_address(w, s, e);
	case EXPR_DEREF:
		return evaluate(w, s, e->operands[0]);
	case EXPR_INDEX:
		base = evaluate(w, s, e->operands[0]);
		evaluate(w, s, e->operands[1]);
		return term_of(w->t, TERM_ELEMENT, base, 0);
	default:
		return evaluate(w, s, e);
	}
}

static bool is_atomic_place(const struct audit_flow *w, unsigned address)
{
	const struct term is = term_whole(w->t, address);

	const struct audit_global *g = is.kind == TERM_GLOBAL ? program_global(w->p, is.a) : NULL;

	if (g)
		return g->variable && w->p->fields.items[g->variable - 1].is_atomic;
	return is.kind == TERM_FIELD && w->p->fields.items[is.b].is_atomic;
}

static bool is_own_local(const struct audit_flow *w, unsigned address)
{
	const struct term is = term_at(w->t, address);

	return is.kind == TERM_LOCAL && is.a == w->function->usr;
}

/* Value at the address, without an access. */
static unsigned old_value(struct audit_flow *w, struct state *s, unsigned address)
{
	return is_own_local(w, address) ? s->values[term_at(w->t, address).b]
					: term_of(w->t, TERM_LOAD, address, 0);
}

static unsigned evaluate_load(struct audit_flow *w, struct state *s, unsigned address,
			      const struct audit_expr *e)
{
	unsigned value;

	if (e->decays)
		return address;
	value = old_value(w, s, address);
	if (is_own_local(w, address))
		return value;
	object_read(w, s, address, e, is_atomic_place(w, address));
	state_load(s, w->t, value);
	if (state_any_lock(s))
		state_see(s, value);
	return term_kind(w->t, address) == TERM_FIELD && state_out(s, address)
		       ? state_out(s, address)
		       : value;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Importance of a value for what is derived from it. Loads matter most: what was loaded may have
   changed since. */
static unsigned weight(const struct terms *t, unsigned value)
{
	struct term is = term_at(t, value);

	if (is.kind == TERM_DERIVED || is.kind == TERM_BITS)
		is = term_at(t, is.a);
	return is.kind == TERM_LOAD ? 3 : is.kind == TERM_CONSTANT || !value ? 0 : 2;
}

static unsigned derived_from(struct audit_flow *w, struct state *s, const struct audit_expr *e,
			     unsigned of)
{
	const unsigned value = term_of(w->t, e->is_pointer ? TERM_ELEMENT : TERM_DERIVED, of, 0);

	return value ? value : state_anything(s, w->t, e->site);
}

static unsigned derived(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned of = 0;

	for (unsigned i = 0; i < e->count; i++) {
		unsigned value = evaluate(w, s, e->operands[i]);

		/* An initializer in braces keeps the address of a local. */
		if (!e->is_pointer)
			object_keep_local(w, value);
		if ((!e->is_pointer || e->operands[i]->is_pointer) &&
		    weight(w->t, value) > weight(w->t, of))
			of = value;
	}
	return derived_from(w, s, e, of);
}

static long number_of(struct term constant)
{
	return (int)constant.a;
}

/* The heavier of both sides, as a derived value. */
static unsigned derived_from_sides(struct audit_flow *w, struct state *s,
				   const struct audit_expr *e, const unsigned values[2])
{
	const unsigned of = weight(w->t, values[1]) > weight(w->t, values[0]) ? values[1]
									      : values[0],
		       value = term_of(w->t, TERM_DERIVED, of, 0);

	return value ? value : state_anything(s, w->t, e->site);
}

/* Evaluates x & y. */
static unsigned bits(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	const unsigned values[] = {evaluate(w, s, e->operands[0]), evaluate(w, s, e->operands[1])};

	for (unsigned i = 0; i < 2; i++) {
		const struct term of = term_at(w->t, values[i]),
				  mask = term_at(w->t, values[1 - i]);

		object_keep_local(w, values[i]);
		if (mask.kind == TERM_CONSTANT && of.kind != TERM_CONSTANT && values[i])
			return term_of(w->t, TERM_BITS, values[i], mask.a);
	}
	return derived_from_sides(w, s, e, values);
}

/* Evaluates a comparison; NOT compares with 0. The result of a try compared with a number still
   tells whether the lock is taken. */
static unsigned compared(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned values[2] = {evaluate(w, s, e->operands[0]), 0};
	struct term is = term_at(w->t, values[0]), with = {TERM_CONSTANT, 0, 0};
	enum audit_expr_kind kind = e->kind == EXPR_NOT ? EXPR_EQUAL : e->kind;

	if (e->count > 1) {
		values[1] = evaluate(w, s, e->operands[1]);
		with = term_at(w->t, values[1]);
	}
	if (is.kind == TERM_CONSTANT && with.kind == TERM_CONSTANT)
		return term_of(w->t, TERM_CONSTANT,
			       signs_compare_numbers(kind, number_of(is), number_of(with)), 0);
	if (is.kind == TERM_CONSTANT) {
		const struct term left = is;

		is = with;
		with = left;
		kind = signs_mirrored(kind);
	}
	if (is.kind == TERM_TRIED && with.kind == TERM_CONSTANT)
		return signs_tried_compared(w->t, is, kind, number_of(with));
	return derived_from_sides(w, s, e, values);
}

static unsigned negated(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	const unsigned value = evaluate(w, s, e->operands[0]);
	const struct term is = term_at(w->t, value);

	if (is.kind == TERM_CONSTANT)
		return term_of(w->t, TERM_CONSTANT, (unsigned)-number_of(is), 0);
	if (is.kind == TERM_TRIED)
		return signs_tried_negated(w->t, is);
	return derived_from(w, s, e, value);
}

/* Notes a comparison of two objects' addresses, which orders their locks. */
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
	       program_is_shared(&w->p->records.items[e->record - 1]);
}

/* Reports a copy of a shared object; an initializer in braces is no object. */
static void suspect_copy(struct audit_flow *w, struct state *s, unsigned object, unsigned to,
			 const struct audit_expr *e)
{
	const enum term_kind kind = term_kind(w->t, object);

	if (object && !object_is_own(w, s, object) && kind != TERM_SITE && kind != TERM_DERIVED &&
	    kind != TERM_CONSTANT)
		object_copy(w, object, object_is_own(w, s, to), e->at);
}

/* Assignment, also ++ and --. */
static unsigned assign(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	const bool is_update = e->kind == EXPR_STEP || e->is_update;
	unsigned value = e->kind == EXPR_STEP ? 0 : evaluate(w, s, e->operands[1]),
		 address = evaluate_address(w, s, e->operands[0]);

	if (is_update) {
		unsigned old = old_value(w, s, address);

		value = derived_from(w, s, e, old || e->is_pointer ? old : value);
	} else if (copies_whole(w, e)) {
		suspect_copy(w, s, value, address, e->operands[1]);
	}
	object_write(w, s, address, value, e, is_atomic_place(w, address), is_update);
	return value;
}

/* True for a store of 0, also by a name that has no value. */
static bool frees_lock(const struct state *s, const struct terms *t, const struct audit_expr *e,
		       unsigned value)
{
	return e->count <= 2 || state_is_zero(s, t, value) == 1;
}

/* Loads from the address, and stores the value in the variable at `to` if that is a local. */
static unsigned atomic_load(struct audit_flow *w, struct state *s, unsigned address, unsigned to,
			    const struct audit_expr *e)
{
	const unsigned value = term_of(w->t, TERM_LOAD, address, 0);

	object_read(w, s, address, e, true);
	state_load(s, w->t, value);
	if (is_own_local(w, to))
		s->values[term_at(w->t, to).b] = value;
	return value;
}

/* True if a move is a load: the local at `to` has no value, apart from that of an earlier load. */
static bool is_loaded(const struct audit_flow *w, const struct state *s, unsigned address,
		      unsigned to)
{
	const unsigned known = is_own_local(w, to) ? s->values[term_at(w->t, to).b] : to;

	return !known || (term_kind(w->t, known) == TERM_LOAD && term_at(w->t, known).a == address);
}

static unsigned atomic(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	unsigned address = e->count ? evaluate(w, s, e->operands[0]) : 0, value = 0;

	for (unsigned i = 1; i < e->count; i++) {
		unsigned is = evaluate(w, s, e->operands[i]);

		/* The memory order is a constant, so an operand that is not one is the stored
		   value. */
		if (!value || term_kind(w->t, value) == TERM_CONSTANT)
			value = is;
	}
	if (lock_is_own(w, address) && e->id == ATOMIC_EXCHANGE)
		return lock_exchange(w, s, address, e->value, e->at);
	if (lock_is_own(w, address) && e->id == ATOMIC_STORE && frees_lock(s, w->t, e, value)) {
		lock_release(w, s, address, e->at);
		return 0;
	}
	if (e->id == ATOMIC_LOAD || (e->id == ATOMIC_MOVE && is_loaded(w, s, address, value)))
		return atomic_load(w, s, address, value, e);
	if (e->id == ATOMIC_MOVE && is_own_local(w, value))
		value = s->values[term_at(w->t, value).b];
	object_write(w, s, address, value, e, true, e->id != ATOMIC_STORE && e->id != ATOMIC_MOVE);
	return state_anything(s, w->t, e->site);
}

static unsigned choice(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	const struct term of = term_at(w->t, evaluate(w, s, e->operands[0]));
	unsigned a, b;
	bool ends;

	/* A constant condition: macros check argument types in the branch that is never
	   evaluated. */
	if (of.kind == TERM_CONSTANT)
		return evaluate(w, s, e->operands[of.a ? 1 : 2]);
	/* One of the two may end the program, or throw. */
	a = evaluate(w, s, e->operands[1]);
	ends = s->never;
	s->never = false;
	b = evaluate(w, s, e->operands[2]);
	if (ends && !s->never)
		return b;
	if (s->never && !ends) {
		s->never = false;
		return a;
	}
	if (of.kind == TERM_TRIED && term_kind(w->t, a) == TERM_CONSTANT &&
	    term_kind(w->t, b) == TERM_CONSTANT)
		return signs_tried_chosen(w->t, of, number_of(term_at(w->t, a)),
					  number_of(term_at(w->t, b)));
	if (a == b || (e->is_pointer && term_kind(w->t, b) == TERM_CONSTANT))
		return a;
	return e->is_pointer && term_kind(w->t, a) == TERM_CONSTANT
		       ? b
		       : state_anything(s, w->t, e->site);
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
		return term_of(w->t, TERM_CONSTANT, (unsigned)e->value, 0);
	case EXPR_FUNCTION:
		if (!number_map_get(&w->p->taken, e->id))
			number_map_set(&w->p->taken, e->id, TAKEN_SOMEHOW);
		return term_of(w->t, TERM_FUNCTION, e->id, 0);
	case EXPR_ADDRESS:
		return evaluate_address(w, s, e->operands[0]);
	case EXPR_ASSIGN:
	case EXPR_STEP:
		return assign(w, s, e);
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
	case EXPR_LESS:
	case EXPR_LESS_EQUAL:
	case EXPR_GREATER:
	case EXPR_GREATER_EQUAL:
	case EXPR_NOT:
		note_comparison(w, e);
		return compared(w, s, e);
	case EXPR_NEGATE:
		return negated(w, s, e);
	case EXPR_BITS:
		return bits(w, s, e);
	default:
		note_comparison(w, e);
		return derived(w, s, e);
	}
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool is_relation(const struct audit_expr *e)
{
	return e->kind == EXPR_LESS || e->kind == EXPR_LESS_EQUAL || e->kind == EXPR_GREATER ||
	       e->kind == EXPR_GREATER_EQUAL;
}

static bool is_comparison(const struct audit_expr *e)
{
	return e->kind == EXPR_EQUAL || e->kind == EXPR_UNEQUAL || is_relation(e);
}

void evaluate_condition(struct audit_flow *w, struct state *s, const struct audit_expr *e,
			unsigned values[2])
{
	values[1] = 0;
	if (is_relation(e))
		note_comparison(w, e);
	if (is_comparison(e)) {
		values[0] = evaluate(w, s, e->operands[0]);
		values[1] = evaluate(w, s, e->operands[1]);
	} else {
		values[0] = evaluate(w, s, e);
	}
}

/* True if the term has one truth until it is evaluated again. A derived term stands for several
   values. */
static bool is_lasting(const struct terms *t, struct term is)
{
	while (is.kind == TERM_EQUAL || is.kind == TERM_ABOVE || is.kind == TERM_BITS)
		is = term_at(t, is.a);
	return is.kind != TERM_DERIVED && is.kind != TERM_ELEMENT;
}

/* Applies what the result of a try has decided, unless it was decided before. */
static void decide(struct audit_flow *w, struct state *s, struct term tried, unsigned was,
		   unsigned signs, struct audit_place at)
{
	const unsigned done = tried_done(tried.b), failed = tried_failed(tried.b);
	struct audit_held *held = state_held(s, tried.a);

	if (!(was & done) || !(was & failed))
		return;
	if (!(signs & failed)) {
		if (tried.b & TRIED_LEAVES)
			lock_release(w, s, tried.a, at);
		else
			lock_tried(w, s, tried.a, tried.b & TRIED_SHARED, at);
	} else if (!(signs & done) && held && tried.b & TRIED_LEAVES) {
		held->is_unsure = false;
	}
}

/* Notes a variable that is tested without a lock. */
static void note_asked(struct audit_flow *w, const struct state *s, struct term is)
{
	const struct term of = is.kind == TERM_LOAD ? term_at(w->t, is.a) : is;

	if (is.kind == TERM_LOAD && of.kind == TERM_GLOBAL && !state_any_lock(s))
		number_map_set(&w->audit->asked, of.a, 1);
}

void evaluate_known(struct audit_flow *w, struct state *s, unsigned term, unsigned signs,
		    struct audit_place at)
{
	const struct term is = term_at(w->t, term);
	const unsigned was = state_signs(s, w->t, term);
	const bool is_lasting_one = is_lasting(w->t, is);

	/* A repeated test of the value that decided the lock should give the same result; else the
	   lock is unsure. */
	array_each(struct audit_held, h, &s->held)
		h->is_unsure |= term && h->under == term && !(h->under_signs & signs);
	note_asked(w, s, is);
	if (!term || (was & signs) == was)
		return;
	if (!(was & signs)) {
		s->never |= is_lasting_one;
		if (is_lasting_one)
			return;
	} else {
		signs &= was;
	}
	if (signs == SIGN_ZERO && is.kind == TERM_SITE)
		lock_never_was(s, w->t, term);
	if (is.kind == TERM_TRIED)
		decide(w, s, is, was, signs, at);
	state_know(s, term, signs);
}

/* A value that is less than a number is not equal to it. A counter that is not less any more is
   equal: the loop has reached its bound. */
static void know_bound(struct audit_flow *w, struct state *s, const struct audit_expr *e,
		       enum audit_expr_kind kind, unsigned value, long with, bool holds)
{
	const unsigned equal = with ? term_of(w->t, TERM_EQUAL, value, (unsigned)with) : 0;
	const bool is_strict = kind == EXPR_LESS || kind == EXPR_GREATER;

	if (holds == is_strict)
		evaluate_known(w, s, equal, SIGN_ZERO, e->at);
	else if (is_strict && term_kind(w->t, value) == TERM_JOIN)
		evaluate_known(w, s, equal, SIGN_NOT_ZERO, e->at);
}

/* Notes a test of the value, whichever: where several lead to a lock, it is what they share. */
static void know_derived(struct audit_flow *w, struct state *s, const struct audit_expr *e,
			 unsigned value, bool holds)
{
	evaluate_known(w, s, term_of(w->t, TERM_DERIVED, value, 0),
		       holds ? SIGN_NOT_ZERO : SIGN_ZERO, e->at);
}

/* Adds whether the value is above a number: x >= 2 and x > 1 are one test. */
static void know_above(struct audit_flow *w, struct state *s, const struct audit_expr *e,
		       enum audit_expr_kind kind, unsigned value, long with, bool holds)
{
	const bool is_above = kind == EXPR_GREATER || kind == EXPR_GREATER_EQUAL;
	const long number = kind == EXPR_GREATER || kind == EXPR_LESS_EQUAL ? with : with - 1;

	evaluate_known(w, s, term_of(w->t, TERM_ABOVE, value, (unsigned)number),
		       is_above == holds ? SIGN_NOT_ZERO : SIGN_ZERO, e->at);
}

/* Adds the signs for which the comparison of the value with the number holds, or not. */
static void know_compared(struct audit_flow *w, struct state *s, const struct audit_expr *e,
			  enum audit_expr_kind kind, unsigned value, long with, bool holds)
{
	if (is_relation(e)) {
		know_derived(w, s, e, value, holds);
		know_above(w, s, e, kind, value, with, holds);
		know_bound(w, s, e, kind, value, with, holds);
	}
	if (!is_relation(e) && with)
		evaluate_known(w, s, term_of(w->t, TERM_EQUAL, value, (unsigned)with),
			       (kind == EXPR_EQUAL) == holds ? SIGN_NOT_ZERO : SIGN_ZERO, e->at);
	evaluate_known(w, s, value, signs_where(kind, with, holds), e->at);
}

void evaluate_branch(struct audit_flow *w, struct state *s, const struct audit_expr *e,
		     const unsigned values[2], bool holds)
{
	const struct term is = term_at(w->t, values[0]), with = term_at(w->t, values[1]);

	if (is.kind == TERM_BITS)
		know_derived(w, s, e, is.a, holds);
	if (!is_comparison(e))
		evaluate_known(w, s, values[0], holds ? SIGN_NOT_ZERO : SIGN_ZERO, e->at);
	else if (is.kind == TERM_CONSTANT && with.kind == TERM_CONSTANT)
		s->never |= signs_compare_numbers(e->kind, number_of(is), number_of(with)) != holds;
	else if (with.kind == TERM_CONSTANT)
		know_compared(w, s, e, e->kind, values[0], number_of(with), holds);
	else if (is.kind == TERM_CONSTANT)
		know_compared(w, s, e, signs_mirrored(e->kind), values[1], number_of(is), holds);
	else if (is_relation(e))
		evaluate_known(w, s, derived_from_sides(w, s, e, values),
			       holds ? SIGN_NOT_ZERO : SIGN_ZERO, e->at);
}
