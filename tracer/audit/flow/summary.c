/* Summary of a function without duplicates: accesses, effects, conditions; interned locksets. */
#include "tracer/audit/flow/flow.h"

#include "tracer/base/hash.h"

#include <string.h>

/* VARIANTS_MOST: of one place and address, with different locksets and conditions; without any lock
   each is kept. */
enum { ACCESSES_MOST = 3000, VARIANTS_MOST = 12, DEEPEST = 12 };

/* ---- locksets -------------------------------------------------------------------------------- */

bool audit_helds_same(const struct audit_helds *a, const struct audit_helds *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++)
		if (a->items[i].lock != b->items[i].lock || a->items[i].mode != b->items[i].mode)
			return false;
	return true;
}

struct audit_helds audit_helds_of(struct audit *a, struct audit_helds helds)
{
	const size_t size = helds.count * sizeof(*helds.items);
	uint64_t hash = HASH_START;
	struct audit_held *items;
	unsigned known;

	if (!helds.count)
		return (struct audit_helds){NULL, 0};
	for (unsigned i = 0; i < helds.count; i++)
		hash = hash_word(hash_word(hash, helds.items[i].lock), helds.items[i].mode);
	for (size_t at = 0; (known = number_map_next(&a->helds.index, number_map_key(hash), &at));)
		if (audit_helds_same(&a->helds.all.items[known - 1], &helds))
			return a->helds.all.items[known - 1];
	items = program_alloc(a->program, size);
	memcpy(items, helds.items, size);
	helds.items = items;
	*array_add(&a->helds.all) = helds;
	number_map_add(&a->helds.index, number_map_key(hash), (unsigned)a->helds.all.count);
	return helds;
}

/* ---- accesses -------------------------------------------------------------------------------- */

const struct audit_access *audit_innermost(const struct audit_access *a)
{
	while (a->inner)
		a = a->inner;
	return a;
}

static bool access_is_same(const struct audit_access *a, const struct audit_access *b)
{
	const unsigned flags = ACCESS_READS | ACCESS_WRITES | ACCESS_ALONE | ACCESS_LATE;

	return a->address == b->address && (a->flags & flags) == (b->flags & flags) &&
	       place_same(audit_innermost(a)->at, audit_innermost(b)->at) &&
	       a->held.items == b->held.items && conditions_same(&a->when, &b->when);
}

static unsigned access_key(const struct audit_access *a)
{
	const struct audit_place at = audit_innermost(a)->at;

	return number_map_key(
		hash_word(hash_word(hash_word(hash_word(HASH_START, a->address), at.file), at.line),
			  at.column));
}

/* True if the object's own lock is held, or for a variable another variable: callers' locks do not
   matter. */
static bool is_settled(const struct terms *t, const struct audit_access *a)
{
	const bool is_variable = term_kind(t, term_object(t, a->address)) == TERM_GLOBAL;

	for (unsigned i = 0; i < a->held.count; i++) {
		const struct audit_held *h = &a->held.items[i];

		if ((h->mode == HELD_ALONE ||
		     (h->mode == HELD_SHARED && !(a->flags & ACCESS_WRITES))) &&
		    (term_object(t, h->lock) == term_object(t, a->address) ||
		     (is_variable && term_kind(t, term_object(t, h->lock)) == TERM_GLOBAL)))
			return true;
	}
	return false;
}

void summary_access(struct audit_flow *w, struct audit_access *a)
{
	struct audit_facts *f = w->facts;
	const unsigned key = access_key(a);
	struct audit_access *kept;
	unsigned known, variants = 0;

	a->depth = a->inner ? a->inner->depth + 1 : 0;
	a->flags &= ~(unsigned)ACCESS_SETTLED;
	if (is_settled(w->t, a) || program_is_plain(audit_record_of(w->audit, a->field)))
		a->flags |= ACCESS_SETTLED;
	if (a->depth > DEEPEST || f->accesses.count >= ACCESSES_MOST)
		return;
	for (size_t at = 0; (known = number_map_next(&w->known, key, &at));)
		if (access_is_same(a, f->accesses.items[known - 1]) ||
		    (++variants >= VARIANTS_MOST && a->held.count))
			return;
	kept = program_alloc(w->p, sizeof(*kept));
	*kept = *a;
	*array_add(&f->accesses) = kept;
	number_map_add(&w->known, key, (unsigned)f->accesses.count);
}

/* ---- effects on objects ---------------------------------------------------------------------- */

struct audit_deed *summary_deed(struct audit_flow *w, struct audit_deed deed)
{
	struct audit_facts *f = w->facts;
	size_t at;

	array_each(struct audit_deed, known, &f->deeds)
		if (known->kind == deed.kind && known->object == deed.object &&
		    known->address == deed.address && known->handle == deed.handle)
			return known;
	at = f->deeds.count;
	(void)array_add(&f->deeds);
	for (; at > 0 && f->deeds.items[at - 1].kind > deed.kind; at--)
		f->deeds.items[at] = f->deeds.items[at - 1];
	f->deeds.items[at] = deed;
	return &f->deeds.items[at];
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool condition_is(const struct audit_condition *c, const struct audit_condition *with)
{
	return c->parameter == with->parameter && c->mask == with->mask &&
	       c->number == with->number;
}

static void conditions_add(struct audit_conditions *c, struct audit_condition item)
{
	for (unsigned i = 0; i < CONDITIONS_MOST; i++) {
		struct audit_condition *known = &c->items[i];

		if (!known->parameter) {
			*known = item;
			return;
		}
		if (known->parameter != item.parameter || known->mask != item.mask)
			continue;
		/* An equality says all. */
		if (known->is_equal || condition_is(known, &item))
			return;
		if (item.is_equal) {
			*known = item;
			return;
		}
	}
}

struct audit_conditions conditions_of(const struct audit_flow *w, const struct state *s)
{
	struct audit_conditions c = {{{0}}};

	array_each(const struct state_truth, truth, &s->truths) {
		const bool is_zero = truth->signs == SIGN_ZERO;
		struct term is = term_at(w->t, truth->term);
		struct audit_condition item = {0, 0, 0, is_zero};

		if (!is_zero && truth->signs & SIGN_ZERO)
			continue;
		if (is.kind == TERM_EQUAL) {
			item.number = is.b;
			item.is_equal = !is_zero;
			is = term_at(w->t, is.a);
		} else if (is.kind == TERM_BITS) {
			item.mask = is.b;
			is = term_at(w->t, is.a);
		}
		item.parameter = is.a + 1;
		if (is.kind == TERM_PARAMETER)
			conditions_add(&c, item);
	}
	return c;
}

/* Argument for the parameter of a condition. */
static unsigned argument_of(const struct term_binding *b, const struct audit_condition *c)
{
	return c->parameter - 1 < b->count ? b->arguments[c->parameter - 1] : 0;
}

/* Term of the compared bits of the argument. */
static unsigned compared(const struct audit_flow *w, const struct audit_condition *c,
			 unsigned value)
{
	return c->mask && value ? term_of(w->t, TERM_BITS, value, c->mask) : value;
}

/* Returns 1 if the argument is known to equal the number, 0 if not to, -1 if neither. */
static int equals(const struct audit_flow *w, const struct state *s,
		  const struct audit_condition *c, unsigned argument)
{
	const struct term is = term_at(w->t, argument);
	const unsigned number = c->number, value = compared(w, c, argument);
	int not_equal;

	if (!value)
		return -1;
	if (is.kind == TERM_CONSTANT)
		return (c->mask ? is.a & c->mask : is.a) == number;
	if (!number)
		return state_is_zero(s, w->t, value);
	not_equal = state_is_zero(s, w->t, term_of(w->t, TERM_EQUAL, value, number));
	if (not_equal < 0 && state_is_zero(s, w->t, value) == 1)
		return 0;
	return not_equal < 0 ? -1 : !not_equal;
}

bool conditions_hold(const struct audit_flow *w, const struct state *s,
		     const struct audit_conditions *inner, const struct term_binding *b)
{
	for (unsigned i = 0; i < CONDITIONS_MOST && inner->items[i].parameter; i++) {
		const struct audit_condition *c = &inner->items[i];
		const int equal = equals(w, s, c, argument_of(b, c));

		if (equal >= 0 && equal != (int)c->is_equal)
			return false;
	}
	return true;
}

/* Adds a condition that holds, in terms of own parameters. */
static void know_condition(struct audit_flow *w, struct state *s, const struct audit_condition *is,
			   unsigned argument)
{
	const unsigned value = compared(w, is, argument),
		       term = is->number ? term_of(w->t, TERM_EQUAL, value, is->number) : value,
		       signs = state_signs(s, w->t, term) &
			       ((is->number != 0) == is->is_equal ? SIGN_NOT_ZERO : SIGN_ZERO);

	if (term_kind(w->t, argument) == TERM_PARAMETER && signs)
		state_know(s, term, signs);
}

bool returns_hold(struct audit_flow *w, struct state *s, const struct audit_facts *f,
		  const struct term_binding *b)
{
	bool any = !f->returns.count;

	array_each(const struct audit_conditions, when, &f->returns)
		any |= conditions_hold(w, s, when, b);
	for (unsigned i = 0; any && f->returns.count == 1 && i < CONDITIONS_MOST; i++) {
		const struct audit_condition *is = &f->returns.items[0].items[i];

		if (is->parameter)
			know_condition(w, s, is, argument_of(b, is));
	}
	return any;
}

struct audit_conditions conditions_inside(const struct audit_flow *w, const struct state *s,
					  const struct audit_conditions *inner,
					  const struct term_binding *b)
{
	struct audit_conditions c = conditions_of(w, s);

	for (unsigned i = 0; i < CONDITIONS_MOST && inner->items[i].parameter; i++) {
		const struct term is = term_at(w->t, argument_of(b, &inner->items[i]));
		struct audit_condition item = inner->items[i];

		item.parameter = is.a + 1;
		if (is.kind == TERM_PARAMETER)
			conditions_add(&c, item);
	}
	return c;
}

bool conditions_same(const struct audit_conditions *a, const struct audit_conditions *b)
{
	for (unsigned i = 0; i < CONDITIONS_MOST; i++)
		if (!condition_is(&a->items[i], &b->items[i]) ||
		    a->items[i].is_equal != b->items[i].is_equal)
			return false;
	return true;
}

/* True if one is an equality of the whole argument, and the other excludes its number. */
static bool excludes(const struct audit_condition *x, const struct audit_condition *y)
{
	return x->is_equal && !x->mask && ((x->number & y->mask) == y->number) != y->is_equal;
}

bool conditions_differ(const struct audit_conditions *a, const struct audit_conditions *b)
{
	for (unsigned i = 0; i < CONDITIONS_MOST && a->items[i].parameter; i++)
		for (unsigned k = 0; k < CONDITIONS_MOST && b->items[k].parameter; k++) {
			const struct audit_condition *x = &a->items[i], *y = &b->items[k];

			if (x->parameter != y->parameter)
				continue;
			if (x->mask != y->mask	     ? excludes(x, y) || excludes(y, x)
			    : x->number == y->number ? x->is_equal != y->is_equal
						     : x->is_equal && y->is_equal)
				return true;
		}
	return false;
}
