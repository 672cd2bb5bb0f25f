/* Accesses to fields, and who can see an object. */
#include "tracer/audit/flow/flow.h"

static bool objects_has(const unsigned *items, size_t count, unsigned wanted)
{
	for (size_t i = 0; i < count; i++)
		if (items[i] == wanted)
			return true;
	return false;
}

const struct audit_record *audit_record_of(const struct audit *a, unsigned field)
{
	return field ? &a->program->records.items[a->program->fields.items[field - 1].record]
		     : NULL;
}

void suspect(struct audit_flow *w, const struct suspicion *s)
{
	if (!w->records)
		return;
	array_each(const struct suspicion, known, &w->audit->suspicions)
		if (known->kind == s->kind && known->function == s->function &&
		    known->term == s->term && known->field == s->field &&
		    known->at.line == s->at.line && known->at.column == s->at.column)
			return;
	*array_add(&w->audit->suspicions) = *s;
}

/* ---- who can see it ----------------------------------------------------------------------------------------- */

static bool is_born_here(const struct audit_flow *w, unsigned object)
{
	const struct term is = term_at(&w->audit->terms, object);

	return is.kind == TERM_FRESH || is.kind == TERM_PRIVATE ||
	       (is.kind == TERM_LOCAL && is.a == w->function->usr);
}

bool object_is_own(const struct audit_flow *w, const struct state *s, unsigned object)
{
	const struct terms *t = &w->audit->terms;
	unsigned root = term_root(t, object);

	if (!is_born_here(w, root))
		return false;
	/* What a local struct points to may be anybody's. */
	if (term_at(t, root).kind == TERM_LOCAL && term_object(t, object) != root)
		return false;
	return !state_visible(s, root);
}

static unsigned record_of_new(const struct audit_flow *w, unsigned object)
{
	array_each(const struct flow_new, n, &w->fresh)
		if (n->object == object)
			return n->record;
	return 0;
}

/* Is something of the field written, or all of the object? */
static bool is_set(const struct audit_flow *w, const struct state *s, unsigned object,
		   unsigned field)
{
	if (state_writes_all(s))
		return true;
	array_each(const unsigned, address, &s->written) {
		unsigned at = *address;

		if (at == object)
			return true;
		while (term_at(&w->audit->terms, at).kind == TERM_FIELD ||
		       term_at(&w->audit->terms, at).kind == TERM_ELEMENT) {
			const struct term is = term_at(&w->audit->terms, at);

			if (is.kind == TERM_FIELD && is.a == object && is.b == field)
				return true;
			at = is.a;
		}
	}
	return false;
}

/* A new object goes out of the function: its fields should have values. */
static void suspect_unset(struct audit_flow *w, const struct state *s, unsigned object,
			  struct audit_place at)
{
	const struct term is = term_at(&w->audit->terms, object);
	const struct audit_program *p = w->audit->program;
	unsigned record = record_of_new(w, object);

	if (is.kind != TERM_FRESH || is.b || !record)
		return;
	array_each(const unsigned, field, &p->records.items[record - 1].fields)
		if (!p->fields.items[*field].lock && !is_set(w, s, object, *field))
			suspect(w, &(struct suspicion){SUSPECT_UNSET, w->index, object, *field + 1,
						       NULL, at, at, false});
}

void object_show(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at)
{
	if (!object || state_visible(s, object))
		return;
	suspect_unset(w, s, object, at);
	*array_add(&s->visible) = (struct state_visible){object, at, state_any_lock(s)};
	/* And all that it has. */
	for (size_t i = 0; i < s->stored.count; i++)
		if (term_object(&w->audit->terms, s->stored.items[i].address) == object)
			object_show(w, s, s->stored.items[i].object, at);
}

static void note_stored(struct audit_flow *w, unsigned object, unsigned address, bool is_part)
{
	if (!w->records)
		return;
	array_each(struct audit_stored, known, &w->facts->stored)
		if (known->object == object && known->address == address) {
			known->is_part &= is_part;
			return;
		}
	*array_add(&w->facts->stored) = (struct audit_stored){object, address, is_part};
}

void object_escape(struct audit_flow *w, unsigned address, const char *how, struct audit_place at)
{
	const struct audit_program *p = w->audit->program;
	struct term is = term_at(&w->audit->terms, address);

	while (is.kind == TERM_ELEMENT)
		is = term_at(&w->audit->terms, is.a);
	if (is.kind != TERM_FIELD || p->fields.items[is.b].lock)
		return;
	suspect(w, &(struct suspicion){SUSPECT_ESCAPE, w->index, address, is.b + 1, how, at, at,
				       false});
}

/* Do others look there: at a global, a field of a struct that is shared? What points back to who owns it tells nobody. */
static bool is_shared_place(const struct audit_flow *w, unsigned address)
{
	const struct audit_program *p = w->audit->program;
	struct term is = term_at(&w->audit->terms, address);

	for (; is.kind == TERM_ELEMENT || is.kind == TERM_LOAD || is.kind == TERM_FIELD;
	     is = term_at(&w->audit->terms, is.a))
		if (is.kind == TERM_FIELD &&
		    program_is_shared(&p->records.items[p->fields.items[is.b].record]))
			return true;
	return is.kind == TERM_GLOBAL;
}

/* The caller says where it wants to have it: it is the caller's. */
static bool is_out(const struct audit_flow *w, unsigned address, bool is_part)
{
	return !is_part && term_at(&w->audit->terms, address).kind == TERM_PARAMETER;
}

void object_store(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  bool is_part, struct audit_place at)
{
	const struct terms *t = &w->audit->terms;
	unsigned object = term_object(t, value), to = term_object(t, address);
	enum term_kind kind = term_at(t, object).kind;

	if (!object || !to || object == to)
		return;
	if (object_is_own(w, s, to)) {
		*array_add(&s->stored) = (struct audit_stored){object, address, false};
		return;
	}
	if (value != object && !object_is_own(w, s, object))
		object_escape(w, value, "is stored", at);
	if (kind == TERM_PARAMETER)
		note_stored(w, object, address, is_part);
	if (kind == TERM_LOCAL && is_part)
		return; /* the head of a list, say: nobody comes from there to all of it */
	if (kind == TERM_FRESH && is_out(w, address, is_part)) {
		*array_add(&s->stored) = (struct audit_stored){object, address, false};
		return;
	}
	if (kind == TERM_FRESH || ((kind == TERM_PARAMETER || kind == TERM_LOCAL) &&
				   (is_shared_place(w, address) || state_any_lock(s))))
		object_show(w, s, object, at);
}

bool object_is_made(const struct audit_flow *w, unsigned object)
{
	return number_map_get(&w->made, object);
}

void object_make(struct audit_flow *w, unsigned object)
{
	/* Of a lock within a lock, the object that has it. */
	for (struct term is = term_at(&w->audit->terms, object);
	     is.kind == TERM_FIELD && w->audit->program->fields.items[is.b].lock;
	     is = term_at(&w->audit->terms, object))
		object = is.a;
	if (!object || object_is_made(w, object))
		return;
	number_map_set(&w->made, object, 1);
	*array_add(&w->facts->made) = object;
}

void object_end(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at)
{
	const struct term is = term_at(&w->audit->terms, object);

	if (is.kind != TERM_LOAD || object_is_own(w, s, is.a) ||
	    objects_has(s->written.items, s->written.count, is.a))
		return;
	array_each(const struct state_freed, f, &s->freed)
		if (f->from == is.a)
			return;
	*array_add(&s->freed) = (struct state_freed){object, is.a, at, state_any_lock(s)};
}

static void free_perhaps(struct audit_flow *w, struct state *s, unsigned object,
			 struct audit_place at)
{
	if (!object)
		return;
	object_make(w, object);
	if (!objects_has(w->facts->freed.items, w->facts->freed.count, object))
		*array_add(&w->facts->freed) = object;
	object_end(w, s, object, at);
}

void object_free(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at)
{
	free_perhaps(w, s, object, at);
	state_write(s, object);
}

void object_free_inside(struct audit_flow *w, struct state *s, const struct audit_facts *f,
			size_t n, unsigned object, struct audit_place at)
{
	if (objects_has(f->spared.items, f->spared.count, f->freed.items[n]))
		free_perhaps(w, s, object, at);
	else
		object_free(w, s, object, at);
}

/* ---- references ---------------------------------------------------------------------------------------------- */

static bool is_field(const struct terms *t, unsigned address)
{
	return address && term_at(t, address).kind == TERM_FIELD;
}

void object_count(struct audit_flow *w, unsigned address, struct audit_place at)
{
	enum { MOST = 100 };
	struct audit_facts *f = w->facts;

	if (!w->records || !is_field(&w->audit->terms, address) || w->counts.count >= MOST)
		return;
	array_each(const struct flow_count, known, &w->counts)
		if (known->address == address && known->at.line == at.line &&
		    known->at.column == at.column)
			return;
	*array_add(&w->counts) = (struct flow_count){address, at};
	if (!objects_has(f->counted.items, f->counted.count, address))
		*array_add(&f->counted) = address;
}

/* A reference to it was taken here, and given back: one field of it was counted up and down. */
static bool is_counted(const struct audit_flow *w, unsigned object)
{
	const struct terms *t = &w->audit->terms;

	array_each(const struct flow_count, taken, &w->counts)
		array_each(const struct flow_count, given, &w->counts)
			if (taken < given && taken->address == given->address &&
			    term_at(t, taken->address).a == object)
				return true;
	return false;
}

/* ---- accesses -------------------------------------------------------------------------------------------------- */

/* The innermost field of a struct that is looked at, + 1; 0: of none. */
static unsigned field_of(const struct audit_flow *w, unsigned address)
{
	const struct audit_program *p = w->audit->program;
	struct term is = term_at(&w->audit->terms, address);

	for (; is.kind == TERM_FIELD || is.kind == TERM_ELEMENT;
	     is = term_at(&w->audit->terms, is.a))
		if (is.kind == TERM_FIELD &&
		    program_is_shared(&p->records.items[p->fields.items[is.b].record]))
			return p->fields.items[is.b].lock ? 0 : is.b + 1;
	return 0;
}

/* Fills in what the state says, and keeps it. */
static void objects_note(struct audit_flow *w, const struct state *s, struct audit_access *a)
{
	a->field = field_of(w, a->address);
	if (!w->records || !a->field || object_is_own(w, s, a->address))
		return;
	a->function = w->index;
	a->alone = !s->makes_threads && (!a->inner || a->inner->alone);
	a->late = s->joins_threads || (a->inner && a->inner->late);
	if (!a->inner) {
		a->held = lock_helds(w, s);
		a->when = conditions_of(w, s);
	}
	access_add(w, a);
}

void object_read(struct audit_flow *w, struct state *s, unsigned address,
		 const struct audit_expr *e, bool is_atomic)
{
	struct audit_access a = {
		.address = address, .reads = true, .is_atomic = is_atomic, .at = e->at};

	a.is_volatile = e->is_volatile;
	if (is_atomic && !objects_has(s->loaded.items, s->loaded.count, address))
		*array_add(&s->loaded) = address;
	objects_note(w, s, &a);
}

/* An access of a function that was called: the caller's locks are held there, too. */
void object_access_inside(struct audit_flow *w, struct state *s, const struct audit_access *inner,
			  unsigned address, const struct audit_helds *held,
			  const struct term_binding *b, struct audit_place at)
{
	struct audit_access a = *inner;

	a.address = address;
	a.at = at;
	a.held = *held;
	a.inner = inner;
	a.when = conditions_inside(w, s, &inner->when, b);
	objects_note(w, s, &a);
}

/* Does it depend on what was loaded there: the value, or that it comes to this at all? */
static bool depends_on(const struct audit_flow *w, const struct state *s, unsigned value,
		       unsigned address)
{
	struct terms *t = &w->audit->terms;
	unsigned load = term_of(t, TERM_LOAD, address, 0);

	if (!objects_has(s->loaded.items, s->loaded.count, address))
		return false;
	if (term_contains(t, value, load))
		return true;
	array_each(const struct state_truth, truth, &s->truths)
		if (term_contains(t, truth->term, load))
			return true;
	return false;
}

/* It says itself what it expects, or found. */
static bool is_exchange(const struct audit_expr *e)
{
	return e->kind == EXPR_ATOMIC && e->id == ATOMIC_EXCHANGE;
}

static void suspect_write(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
			  const struct audit_expr *e, bool is_atomic)
{
	unsigned object = term_object(&w->audit->terms, address), field = field_of(w, address);
	const struct state_visible *v = state_visible(s, object);

	if (field && v && !is_atomic && !state_any_lock(s))
		suspect(w, &(struct suspicion){SUSPECT_LATE_WRITE, w->index, address, field, NULL,
					       e->at, v->at,
					       v->lock || term_at(&w->audit->terms, object).kind ==
								  TERM_FRESH});
	if (field && is_atomic && !is_exchange(e) && !object_is_own(w, s, address) &&
	    !state_any_lock(s) && depends_on(w, s, value, address))
		suspect(w, &(struct suspicion){SUSPECT_COMPOUND, w->index, address, field, NULL,
					       e->at, e->at, false});
}

/* What was freed there is not reachable from there any more; whoever had no lock came too late. */
static void forget_freed(struct state *s, unsigned address)
{
	for (size_t i = s->freed.count; i > 0; i--) {
		const struct state_freed *f = &s->freed.items[i - 1];

		if (f->from == address && f->lock && state_held(s, f->lock))
			array_remove(&s->freed, i - 1);
	}
}

static void forget_loaded(struct state *s, unsigned address)
{
	for (size_t i = s->loaded.count; i > 0; i--)
		if (s->loaded.items[i - 1] == address)
			array_remove(&s->loaded, i - 1);
}

static void write_local(struct audit_flow *w, struct state *s, unsigned local, unsigned value)
{
	unsigned record = w->function->locals.items[local].record;

	s->values[local] = value;
	if (record && term_at(&w->audit->terms, value).kind == TERM_FRESH &&
	    !record_of_new(w, value))
		*array_add(&w->fresh) = (struct flow_new){value, record};
}

/* What was there is nowhere any more, and was taken from there under a lock: whoever has it has it alone. */
static void take_away(struct audit_flow *w, struct state *s, unsigned address,
		      const struct audit_expr *e)
{
	struct terms *t = &w->audit->terms;
	const unsigned was = term_of(t, TERM_LOAD, address, 0);

	for (unsigned i = 0; was && e->is_pointer && i < s->locals; i++)
		if (s->values[i] == was)
			s->values[i] = term_of(t, TERM_FRESH, e->site, 1);
}

/* Whose it is that is put in a new object: who loads it from there has the same one. */
static bool is_kept(const struct audit_flow *w, const struct state *s, unsigned address,
		    unsigned value, const struct audit_expr *e)
{
	const enum term_kind kind = term_at(&w->audit->terms, value).kind;

	return e->is_pointer && e->record && (kind == TERM_PARAMETER || kind == TERM_LOAD) &&
	       term_at(&w->audit->terms, term_object(&w->audit->terms, address)).kind ==
		       TERM_FRESH &&
	       object_is_own(w, s, address);
}

void object_write(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  const struct audit_expr *e, bool is_atomic, bool is_update)
{
	const struct term is = term_at(&w->audit->terms, address);
	struct audit_access a = {.address = address,
				 .writes = true,
				 .reads = is_update,
				 .is_atomic = is_atomic,
				 .at = e->at};

	if (is.kind == TERM_LOCAL && is.a == w->function->usr) {
		write_local(w, s, is.b, value);
		return;
	}
	a.is_volatile = e->kind == EXPR_ASSIGN && !is_update && e->operands[0]->is_volatile;
	if (is.kind == TERM_PARAMETER || is_kept(w, s, address, value, e) || state_out(s, address))
		state_put_out(s, address, value);
	if (term_at(&w->audit->terms, value).kind == TERM_CONSTANT && state_any_lock(s))
		take_away(w, s, address, e);
	a.is_first = state_is_zero(s, &w->audit->terms,
				   term_of(&w->audit->terms, TERM_LOAD, address, 0)) == 1;
	suspect_write(w, s, address, is_update ? 0 : value, e, is_atomic);
	objects_note(w, s, &a);
	if (is_atomic && is_update)
		forget_loaded(s, address);
	if (is.kind == TERM_FIELD && w->audit->program->fields.items[is.b].lock)
		object_make(w, is.a);
	if (is.kind == TERM_FIELD && term_at(&w->audit->terms, value).kind == TERM_FRESH)
		number_map_set(&w->audit->parts, is.b + 1, 1);
	if (is.kind == TERM_FIELD)
		state_change(s, &w->audit->terms, is.b + 1);
	if (is_update)
		object_count(w, address, e->at);
	forget_freed(s, address);
	state_write(s, address);
	object_store(w, s, address, value, value != term_object(&w->audit->terms, value), e->at);
}

/* ---- the end -------------------------------------------------------------------------------------------------------- */

/* New objects that the caller finds where it wanted to have them. */
static void leave_out(struct audit_flow *w, struct state *s, struct audit_place at)
{
	array_each(const struct audit_stored, is, &s->stored) {
		const struct term to = term_at(&w->audit->terms, is->address);

		if (to.kind != TERM_PARAMETER || !object_is_own(w, s, is->object))
			continue;
		suspect_unset(w, s, is->object, at);
		if (!objects_has(w->facts->out.items, w->facts->out.count, to.a))
			*array_add(&w->facts->out) = to.a;
	}
}

static bool is_ended(const struct state *s, unsigned object)
{
	return objects_has(s->written.items, s->written.count, object);
}

static void leave_spared(struct audit_flow *w, const struct state *s)
{
	struct audit_facts *f = w->facts;

	array_each(const unsigned, object, &f->freed)
		if (!is_ended(s, *object) && state_is_zero(s, &w->audit->terms, *object) != 1 &&
		    !objects_has(f->spared.items, f->spared.count, *object))
			*array_add(&f->spared) = *object;
}

void object_leave(struct audit_flow *w, struct state *s, unsigned value, struct audit_place at)
{
	const struct terms *t = &w->audit->terms;

	leave_out(w, s, at);
	if (object_is_own(w, s, value) && value == term_object(t, value))
		suspect_unset(w, s, value, at);
	else if (value != term_object(t, value) && !object_is_own(w, s, value))
		object_escape(w, value, "is returned", at);
	leave_spared(w, s);
	array_each(const struct state_freed, f, &s->freed)
		if (!object_is_made(w, term_object(t, f->from)))
			suspect(w, &(struct suspicion){
					   SUSPECT_FREED, w->index, f->from, 0, NULL, f->at, f->at,
					   is_ended(s, f->object) || !is_counted(w, f->object)});
}
