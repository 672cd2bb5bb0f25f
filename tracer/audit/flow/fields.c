/* Fields that an address is of. */
#include "tracer/audit/flow/flow.h"

const struct audit_record *audit_record_of(const struct audit *a, unsigned field)
{
	return field ? &a->program->records.items[a->program->fields.items[field - 1].record]
		     : NULL;
}

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

bool field_is_part(const struct audit_flow *w, unsigned address)
{
	const unsigned field = field_of(w, address);
	const struct audit_field *f = field ? &w->p->fields.items[field - 1] : NULL;

	return f && (!f->type || !program_is_shared(&w->p->records.items[f->type - 1]));
}

bool field_is_simple(const struct audit_flow *w, unsigned address)
{
	const struct term is = term_at(w->t, address);
	const unsigned type = is.kind == TERM_FIELD ? w->p->fields.items[is.b].type : 0;

	return is.kind == TERM_FIELD && (!type || w->p->records.items[type - 1].is_system);
}
