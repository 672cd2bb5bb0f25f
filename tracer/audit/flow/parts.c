/* Parts of objects whose address is passed to a function. */
#include "tracer/audit/flow/flow.h"

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

void parts_copy(const struct call_state *c, bool copies)
{
	const bool is_own = object_is_own(c->w, c->s, argument_at(c, 0));

	touch(c, 0, true);
	if (copies)
		touch(c, 1, false);
	if (is_whole(c, 0))
		object_make(c->w, argument_at(c, 0));
	if (copies && is_whole(c, 1) && argument_at(c, 1) &&
	    !object_is_own(c->w, c->s, argument_at(c, 1)))
		object_copy(c->w, argument_at(c, 1), is_own, c->e->at);
}

/* `flags`: ACCESS_UNKNOWN, or 0. */
static void use_parts(const struct call_state *c, unsigned reads, unsigned writes, unsigned flags)
{
	for (unsigned i = 0; i < c->count && i < FIELD_PARAMETERS; i++) {
		const unsigned bit = 1U << i;

		if (!((reads | writes) & bit))
			continue;
		object_note_use(c->w, c->s, c->arguments[i], writes & bit);
		if (field_is_part(c->w, c->arguments[i]))
			object_pass(c->w, c->s, c->arguments[i],
				    (writes & bit ? ACCESS_WRITES | flags : 0) |
					    (reads & bit ? ACCESS_READS : 0),
				    c->e->at);
	}
}

void parts_use(const struct call_state *c, unsigned reads, unsigned writes)
{
	use_parts(c, reads, writes, 0);
}

void parts_use_unknown(const struct call_state *c)
{
	unsigned reads = 0, writes = 0;

	for (unsigned i = 0; i < c->count && i < FIELD_PARAMETERS; i++)
		if (c->e->operands[i + 1]->is_pointer || c->e->operands[i + 1]->decays)
			*(c->e->operands[i + 1]->to_const ? &reads : &writes) |= 1U << i;
	use_parts(c, reads, writes, ACCESS_UNKNOWN);
}
