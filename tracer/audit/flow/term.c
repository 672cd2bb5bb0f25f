#include "tracer/audit/flow/term.h"

#include <string.h>

enum { FIRST = 4096, DEEPEST = 12 };

static size_t term_slot_of(const struct terms *t, const struct term *wanted)
{
	uint64_t sum = wanted->kind;
	size_t at;

	sum = (sum * 0x9e3779b97f4a7c15) ^ wanted->a;
	sum = (sum * 0x9e3779b97f4a7c15) ^ wanted->b;
	sum = sum * 0x9e3779b97f4a7c15;
	for (at = (size_t)(sum >> 32) & (t->size - 1); t->slots[at];
	     at = (at + 1) & (t->size - 1)) {
		const struct term *is = &t->all.items[t->slots[at]];

		if (is->kind == wanted->kind && is->a == wanted->a && is->b == wanted->b)
			break;
	}
	return at;
}

static void term_grow(struct terms *t)
{
	t->size = t->size ? 2 * t->size : FIRST;
	base_free(t->slots);
	t->slots = base_alloc(t->size, sizeof(*t->slots));
	for (unsigned i = 1; i < t->all.count; i++)
		t->slots[term_slot_of(t, &t->all.items[i])] = i;
}

static bool is_step(enum term_kind kind)
{
	return kind == TERM_LOAD || kind == TERM_FIELD || kind == TERM_ELEMENT ||
	       kind == TERM_DERIVED || kind == TERM_EQUAL;
}

/* A list that is walked through without end has no end here either. */
static bool is_too_deep(const struct terms *t, unsigned term)
{
	unsigned depth = 0;

	for (; is_step(term_at(t, term).kind); term = term_at(t, term).a)
		depth++;
	return depth >= DEEPEST;
}

unsigned term_of(struct terms *t, enum term_kind kind, unsigned a, unsigned b)
{
	const struct term wanted = {kind, a, b};
	size_t at;

	if (!t->all.count)
		(void)array_add(&t->all);
	if (kind == TERM_UNKNOWN || (is_step(kind) && (!a || is_too_deep(t, a))))
		return 0;
	if (kind == TERM_DERIVED && term_at(t, a).kind == TERM_DERIVED)
		return a;
	if (kind == TERM_ELEMENT && term_at(t, a).kind == TERM_ELEMENT)
		return a;
	if (2 * t->all.count >= t->size)
		term_grow(t);
	at = term_slot_of(t, &wanted);
	if (!t->slots[at]) {
		t->slots[at] = (unsigned)t->all.count;
		*array_add(&t->all) = wanted;
	}
	return t->slots[at];
}

unsigned term_object(const struct terms *t, unsigned term)
{
	while (term_at(t, term).kind == TERM_FIELD || term_at(t, term).kind == TERM_ELEMENT)
		term = term_at(t, term).a;
	return term;
}

unsigned term_root(const struct terms *t, unsigned term)
{
	while (is_step(term_at(t, term).kind))
		term = term_at(t, term).a;
	return term;
}

bool term_contains(const struct terms *t, unsigned term, unsigned part)
{
	while (term != part && is_step(term_at(t, term).kind))
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
	if (is.kind == TERM_TRIED) {
		of = term_bind(t, is.a, b);
		return of ? term_of(t, TERM_TRIED, of, is.b) : 0;
	}
	if (!is_step(is.kind))
		return term;
	of = term_bind(t, is.a, b);
	if (is.kind == TERM_LOAD && b->load &&
	    (term_at(t, of).kind == TERM_LOCAL || b->load(b->ctx, of)))
		return b->load(b->ctx, of);
	return of == is.a ? term : term_of(t, is.kind, of, is.b);
}

unsigned term_bind_or_any(struct terms *t, unsigned term, const struct term_binding *b)
{
	const unsigned is = term_bind(t, term, b);

	return is ? is : term_replace(t, term, term_root(t, term), term_of(t, TERM_SITE, 0, 0));
}

/* ---- as C ------------------------------------------------------------------------------------------------- */

static const char *global_name(const struct audit_program *p, unsigned usr)
{
	const struct audit_global *g = program_global(p, usr);

	return g ? program_text(p, g->name) : program_text(p, usr);
}

static const char *local_name(const struct audit_program *p, const struct audit_function *f,
			      unsigned local)
{
	return f && local < f->locals.count ? program_text(p, f->locals.items[local].name)
					    : "object";
}

void term_print(const struct terms *t, const struct audit_program *p,
		const struct audit_function *f, unsigned term, struct str *out)
{
	const struct term is = term_at(t, term);
	enum term_kind of;

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
		of = term_at(t, is.a).kind;
		term_print(t, p, f, is.a, out);
		str_addf(out, "%s%s",
			 of == TERM_GLOBAL || of == TERM_LOCAL || of == TERM_FIELD ||
					 of == TERM_ELEMENT
				 ? "."
				 : "->",
			 program_text(p, p->fields.items[is.b].name));
		return;
	case TERM_ELEMENT:
		term_print(t, p, f, is.a, out);
		str_add(out, "[]");
		return;
	case TERM_LOAD:
	case TERM_DERIVED:
		term_print(t, p, f, is.a, out);
		return;
	default:
		str_add(out, "object");
	}
}

void terms_fini(struct terms *t)
{
	array_fini(&t->all);
	base_free(t->slots);
	t->slots = NULL;
	t->size = 0;
}
