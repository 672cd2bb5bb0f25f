/* Terms (access paths), interned: equal terms have one number. */
#include "tracer/audit/flow/facts.h"

#include "tracer/base/hash.h"

enum { DEEPEST = 12 };

static bool is_step(enum term_kind kind)
{
	return kind >= TERM_LOAD;
}

/* Limits the depth of terms: a loop over a list would make endless ones. */
static bool is_too_deep(const struct terms *t, unsigned term)
{
	unsigned depth = 0;

	for (; is_step(term_kind(t, term)); term = term_at(t, term).a)
		depth++;
	return depth >= DEEPEST;
}

unsigned term_of(struct terms *t, enum term_kind kind, unsigned a, unsigned b)
{
	const unsigned key =
		number_map_key(hash_word(hash_word(hash_word(HASH_START, (uint64_t)kind), a), b));
	unsigned known;

	if (!t->all.count)
		(void)array_add(&t->all);
	if (kind == TERM_UNKNOWN || (is_step(kind) && (!a || is_too_deep(t, a))))
		return 0;
	if ((kind == TERM_DERIVED || kind == TERM_ELEMENT) && term_kind(t, a) == kind)
		return a;
	for (size_t at = 0; (known = number_map_next(&t->index, key, &at));) {
		const struct term is = term_at(t, known);

		if (is.kind == kind && is.a == a && is.b == b)
			return known;
	}
	number_map_add(&t->index, key, (unsigned)t->all.count);
	*array_add(&t->all) = (struct term){kind, a, b};
	return (unsigned)t->all.count - 1;
}

struct term term_whole(const struct terms *t, unsigned term)
{
	while (term_kind(t, term) == TERM_ELEMENT)
		term = term_at(t, term).a;
	return term_at(t, term);
}

unsigned term_object(const struct terms *t, unsigned term)
{
	while (term_kind(t, term) == TERM_FIELD || term_kind(t, term) == TERM_ELEMENT)
		term = term_at(t, term).a;
	return term;
}

bool term_is_known_outside(const struct terms *t, unsigned term)
{
	const enum term_kind root = term_kind(t, term_root(t, term));

	return root == TERM_PARAMETER || root == TERM_GLOBAL || root == TERM_RESULT;
}

unsigned term_root(const struct terms *t, unsigned term)
{
	while (is_step(term_kind(t, term)))
		term = term_at(t, term).a;
	return term;
}

bool term_contains(const struct terms *t, unsigned term, unsigned part)
{
	while (term != part && is_step(term_kind(t, term)))
		term = term_at(t, term).a;
	return term == part;
}

unsigned term_replace(struct terms *t, unsigned term, unsigned part, unsigned by)
{
	const struct term is = term_at(t, term);

	if (term == part)
		return by;
	return is_step(is.kind) ? term_of(t, is.kind, term_replace(t, is.a, part, by), is.b) : term;
}

unsigned term_bind(struct terms *t, unsigned term, const struct term_binding *b)
{
	const struct term is = term_at(t, term);
	unsigned of;

	if (is.kind == TERM_PARAMETER)
		return is.a < b->count ? b->arguments[is.a] : 0;
	if (is.kind == TERM_RESULT)
		return b->result;
	if (!is_step(is.kind) && is.kind != TERM_TRIED)
		return term;
	of = term_bind(t, is.a, b);
	if (is.kind == TERM_TRIED && !of)
		return 0;
	if (is.kind == TERM_LOAD && b->load &&
	    (term_kind(t, of) == TERM_LOCAL || b->load(b->ctx, of)))
		return b->load(b->ctx, of);
	return of == is.a ? term : term_of(t, is.kind, of, is.b);
}

unsigned term_bind_or_any(struct terms *t, unsigned term, const struct term_binding *b)
{
	const unsigned is = term_bind(t, term, b);

	return is ? is : term_replace(t, term, term_root(t, term), term_of(t, TERM_SITE, 0, 0));
}

static const char *global_name(const struct audit_program *p, unsigned usr)
{
	const struct audit_global *g = program_global(p, usr);

	return program_text(p, g ? g->name : usr);
}

static const char *local_name(const struct audit_program *p, const struct audit_function *f,
			      unsigned local)
{
	return f && local < f->locals.count ? program_text(p, f->locals.items[local].name)
					    : "object";
}

/* True for the address of an object, whose fields are printed with '.'. */
static bool is_place(enum term_kind kind)
{
	return kind == TERM_GLOBAL || kind == TERM_LOCAL || kind == TERM_FIELD ||
	       kind == TERM_ELEMENT;
}

void term_print(const struct terms *t, const struct audit_program *p,
		const struct audit_function *f, unsigned term, struct str *out)
{
	const struct term is = term_at(t, term);

	switch (is.kind) {
	case TERM_PARAMETER:
		str_add(out, local_name(p, f, is.a));
		return;
	case TERM_GLOBAL:
		str_add(out, global_name(p, is.a));
		return;
	case TERM_LOCAL:
	case TERM_JOIN:
		str_add(out, local_name(p, is.kind == TERM_JOIN || (f && f->usr == is.a) ? f : NULL,
					is.b));
		return;
	case TERM_FIELD:
	case TERM_ELEMENT:
	case TERM_LOAD:
	case TERM_DERIVED:
		term_print(t, p, f, is.a, out);
		break;
	default:
		str_add(out, "object");
		return;
	}
	if (is.kind == TERM_ELEMENT)
		str_add(out, "[]");
	else if (is.kind == TERM_FIELD)
		str_addf(out, "%s%s", is_place(term_kind(t, is.a)) ? "." : "->",
			 program_text(p, p->fields.items[is.b].name));
}

void terms_fini(struct terms *t)
{
	array_fini(&t->all);
	number_map_fini(&t->index);
}
