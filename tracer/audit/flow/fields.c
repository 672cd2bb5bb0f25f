/* Fields that an address is of, and parts of objects whose address is passed to a function. */
#include "tracer/audit/flow/flow.h"

enum { PARAMETERS = 32 };

/* Field (+ 1) of a variable of static storage, if the program has such locks; 0 for others. */
static unsigned global_variable_of(const struct audit_flow *w, unsigned object)
{
	const struct term is = term_at(w->t, object);
	const struct audit_global *g = is.kind == TERM_GLOBAL ? program_global(w->p, is.a) : NULL;

	return g && w->p->variables && program_is_shared(&w->p->records.items[w->p->variables - 1])
		       ? g->variable
		       : 0;
}

unsigned field_of(const struct audit_flow *w, unsigned address)
{
	struct term is = term_at(w->t, address);

	for (; is.kind == TERM_FIELD || is.kind == TERM_ELEMENT; is = term_at(w->t, is.a)) {
		const struct audit_field *f =
			is.kind == TERM_FIELD ? &w->p->fields.items[is.b] : NULL;

		if (f && program_is_shared(&w->p->records.items[f->record]))
			return f->lock ? 0 : is.b + 1;
	}
	return global_variable_of(w, term_object(w->t, address));
}

unsigned field_of_plain(const struct audit_flow *w, unsigned address)
{
	struct term is = term_at(w->t, address);

	for (; is.kind == TERM_FIELD || is.kind == TERM_ELEMENT; is = term_at(w->t, is.a))
		if (is.kind == TERM_FIELD &&
		    program_is_plain(&w->p->records.items[w->p->fields.items[is.b].record]))
			return is.b + 1;
	return 0;
}

/* True for a part of a shared struct, or of a variable, that has no lock of its own. */
static bool is_part(const struct audit_flow *w, unsigned address)
{
	const unsigned field = field_of(w, address);
	const struct audit_field *f = field ? &w->p->fields.items[field - 1] : NULL;

	return f && (!f->type || !program_is_shared(&w->p->records.items[f->type - 1]));
}

void field_note_use(struct audit_flow *w, const struct state *s, unsigned address, bool writes)
{
	const struct term is = term_at(w->t, term_object(w->t, address));

	if (is.kind == TERM_PARAMETER && is.a < PARAMETERS && !state_any_lock(s))
		*(writes ? &w->facts->writes : &w->facts->reads) |= 1U << is.a;
}

static unsigned argument_at(const struct call_state *c, unsigned i)
{
	return i < c->count ? c->arguments[i] : 0;
}

/* Reads or writes what the argument points to, a part of a struct or a whole one. */
static void touch(const struct call_state *c, unsigned i, bool writes)
{
	const unsigned address = argument_at(c, i);
	const enum term_kind kind = term_kind(c->w->t, address);
	struct audit_expr e = *c->e;

	e.decays = false;
	if (kind != TERM_FIELD && kind != TERM_ELEMENT && kind != TERM_GLOBAL) {
		if (writes)
			state_write(c->s, address);
	} else if (writes) {
		object_write(c->w, c->s, address, 0, &e, false, false);
	} else {
		object_read(c->w, c->s, address, &e, false);
	}
}

/* True if the argument points to a whole shared struct. */
static bool is_whole(const struct call_state *c, unsigned i)
{
	const struct audit_expr *e = i < c->count ? c->e->operands[i + 1] : NULL;

	return e && e->record && e->is_pointer &&
	       program_is_shared(&c->w->p->records.items[e->record - 1]) &&
	       term_object(c->w->t, argument_at(c, i)) == argument_at(c, i);
}

void field_touch_whole(const struct call_state *c, bool copies)
{
	touch(c, 0, true);
	if (copies)
		touch(c, 1, false);
	if (is_whole(c, 0))
		object_make(c->w, argument_at(c, 0));
	if (copies && is_whole(c, 1) && argument_at(c, 1) &&
	    !object_is_own(c->w, c->s, argument_at(c, 1)))
		object_copy(c->w, argument_at(c, 1), c->e->at);
}

/* `flags`: ACCESS_UNKNOWN, or 0. */
static void use_parts(const struct call_state *c, unsigned reads, unsigned writes, unsigned flags)
{
	for (unsigned i = 0; i < c->count && i < PARAMETERS; i++) {
		const unsigned bit = 1U << i;

		if (!((reads | writes) & bit))
			continue;
		field_note_use(c->w, c->s, c->arguments[i], writes & bit);
		if (is_part(c->w, c->arguments[i]))
			object_pass(c->w, c->s, c->arguments[i],
				    (writes & bit ? ACCESS_WRITES | flags : 0) |
					    (reads & bit ? ACCESS_READS : 0),
				    c->e->at);
	}
}

void field_use(const struct call_state *c, unsigned reads, unsigned writes)
{
	use_parts(c, reads, writes, 0);
}

void field_use_unknown(const struct call_state *c)
{
	unsigned reads = 0, writes = 0;

	for (unsigned i = 0; i < c->count && i < PARAMETERS; i++)
		if (c->e->operands[i + 1]->is_pointer || c->e->operands[i + 1]->decays)
			*(c->e->operands[i + 1]->to_const ? &reads : &writes) |= 1U << i;
	use_parts(c, reads, writes, ACCESS_UNKNOWN);
}
