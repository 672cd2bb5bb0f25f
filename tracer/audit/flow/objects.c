/* Accesses to fields, and publication of objects. */
#include "tracer/audit/flow/flow.h"

static const struct audit_field *field_at(const struct audit_flow *w, unsigned address)
{
	const struct term is = term_at(w->t, address);

	return is.kind == TERM_FIELD ? &w->p->fields.items[is.b] : NULL;
}

static bool is_lock(const struct audit_flow *w, unsigned address)
{
	const struct audit_field *f = field_at(w, address);

	return f && f->lock;
}

static bool is_own_local(const struct audit_flow *w, unsigned address)
{
	const struct term is = term_at(w->t, address);

	return is.kind == TERM_LOCAL && is.a == w->function->usr;
}

/* ---- publication ----------------------------------------------------------------------------- */

bool object_is_own(const struct audit_flow *w, const struct state *s, unsigned object)
{
	const unsigned root = term_root(w->t, object);
	const enum term_kind kind = term_kind(w->t, root);

	if (kind != TERM_FRESH && kind != TERM_PRIVATE && !is_own_local(w, root))
		return false;
	/* A local struct may point to an object of any thread. */
	if (kind == TERM_LOCAL && term_object(w->t, object) != root)
		return false;
	return !state_find(s, STATE_VISIBLE, root, 0);
}

static unsigned record_of_new(const struct audit_flow *w, unsigned object)
{
	array_each(const struct flow_new, n, &w->fresh)
		if (n->object == object)
			return n->record;
	return 0;
}

/* True if a part of the field or the whole object was written. */
static bool is_set(const struct audit_flow *w, const struct state *s, unsigned object,
		   unsigned field)
{
	if (state_writes_all(s))
		return true;
	array_each(const struct state_event, e, &s->events) {
		const unsigned end = term_object(w->t, e->address);

		if (e->kind != STATE_WRITTEN)
			continue;
		if (e->address == object)
			return true;
		for (unsigned at = e->address; at != end; at = term_at(w->t, at).a) {
			const struct term is = term_at(w->t, at);

			if (is.kind == TERM_FIELD && is.a == object && is.b == field)
				return true;
		}
	}
	return false;
}

/* Reports fields without a value of a new object that is published or returned. */
static void suspect_unset(struct audit_flow *w, const struct state *s, unsigned object,
			  struct audit_place at)
{
	const struct term is = term_at(w->t, object);
	unsigned record = record_of_new(w, object);

	if (is.kind != TERM_FRESH || is.b || !record)
		return;
	array_each(const unsigned, field, &w->p->records.items[record - 1].fields)
		if (!w->p->fields.items[*field].lock && !is_set(w, s, object, *field))
			suspect(w, &(struct suspicion){.kind = SUSPECT_UNSET,
						       .term = object,
						       .field = *field + 1,
						       .at = at,
						       .other = at});
}

void object_show(struct audit_flow *w, struct state *s, unsigned object, unsigned thread,
		 struct audit_place at)
{
	const struct state_event *known = object ? state_find(s, STATE_VISIBLE, object, 0) : NULL;

	/* One that a thread got may be given to others, too. */
	if (known && known->thread != thread)
		s->events.items[known - s->events.items].thread = 0;
	if (!object || known)
		return;
	suspect_unset(w, s, object, at);
	state_note(s, &(struct state_event){STATE_VISIBLE, object, 0, state_any_lock(s), at, thread,
					    false, 0});
	/* Objects that it points to are published too, but not its owner. */
	for (size_t i = 0; i < s->events.count; i++)
		if (s->events.items[i].kind == STATE_STORED &&
		    s->events.items[i].object != w->owner &&
		    term_object(w->t, s->events.items[i].address) == object)
			object_show(w, s, s->events.items[i].object, thread, at);
}

static bool is_own_lock_held(const struct audit_flow *w, const struct state *s, unsigned address)
{
	array_each(const struct audit_held, h, &s->held)
		if (h->mode != HELD_LEFT &&
		    term_object(w->t, h->lock) == term_object(w->t, address))
			return true;
	return false;
}

/* Reports the address of a field that is no lock. */
static void suspect_escape(struct audit_flow *w, unsigned address, struct suspicion is)
{
	const struct term of = term_whole(w->t, address);

	if (of.kind != TERM_FIELD || w->p->fields.items[of.b].lock)
		return;
	is.kind = SUSPECT_ESCAPE;
	is.term = address;
	is.field = of.b + 1;
	suspect(w, &is);
}

void object_escape(struct audit_flow *w, unsigned address, const char *how, bool is_for_call,
		   struct audit_place at)
{
	suspect_escape(
		w, address,
		(struct suspicion){.how = how, .is_for_call = is_for_call, .at = at, .other = at});
}

void object_copy(struct audit_flow *w, unsigned object, bool is_to_own, struct audit_place at)
{
	suspect(w, &(struct suspicion){.kind = SUSPECT_ESCAPE,
				       .term = object,
				       .how = "is copied as a whole",
				       .is_to_own = is_to_own,
				       .at = at,
				       .other = at});
}

/* True for a global or a field of a shared struct. A pointer back to the owner publishes
   nothing. */
static bool is_shared_place(const struct audit_flow *w, unsigned address)
{
	struct term is = term_at(w->t, address);

	for (; is.kind == TERM_ELEMENT || is.kind == TERM_LOAD || is.kind == TERM_FIELD;
	     is = term_at(w->t, is.a))
		if (is.kind == TERM_FIELD &&
		    program_is_shared(&w->p->records.items[w->p->fields.items[is.b].record]))
			return true;
	return is.kind == TERM_GLOBAL;
}

/* True for the object of a constructor that has not given it to a thread. */
static bool is_constructed(const struct audit_flow *w, const struct state *s, unsigned object)
{
	return w->constructs && object == w->constructs && !state_find(s, STATE_VISIBLE, object, 0);
}

/* Publishes the object by storing it in another one, which is its owner. */
static void show_in(struct audit_flow *w, struct state *s, unsigned object, unsigned owner,
		    struct audit_place at)
{
	const unsigned root = term_root(w->t, owner);
	struct state_event *e;

	w->owner = owner;
	object_show(w, s, object, 0, at);
	w->owner = 0;
	e = (struct state_event *)state_find(s, STATE_VISIBLE, object, 0);
	if (e && !e->lock && term_kind(w->t, root) == TERM_PARAMETER &&
	    !state_find(s, STATE_VISIBLE, root, 0))
		e->is_of_unsure = true;
}

void object_store(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  bool is_part, struct audit_place at)
{
	const unsigned object = term_object(w->t, value), to = term_object(w->t, address);
	const enum term_kind kind = term_kind(w->t, object);
	/* A parameter as the address: the caller's place for a new object. */
	const bool is_out =
		kind == TERM_FRESH && !is_part && term_kind(w->t, address) == TERM_PARAMETER;

	/* A part that points back to its owner publishes nothing. */
	if (!object || !to || term_contains(w->t, to, object))
		return;
	if (!object_is_own(w, s, to)) {
		if (value != object && !object_is_own(w, s, object))
			suspect_escape(w, value,
				       (struct suspicion){
					       .how = "is stored",
					       .is_locked = term_kind(w->t, to) != TERM_PARAMETER &&
							    is_own_lock_held(w, s, value),
					       .at = at,
					       .other = at});
		if (kind == TERM_PARAMETER && w->records)
			summary_deed(w, (struct audit_deed){DEED_STORED, object, address, 0, true})
				->flag &= is_part;
		/* A pointer to a list head publishes no whole local; one to a lock, nothing. */
		if ((kind == TERM_LOCAL && is_part) || field_is_simple(w, value))
			return;
	}
	if (object_is_own(w, s, to) || is_out || is_constructed(w, s, to))
		state_note(s, &(struct state_event){STATE_STORED, object, address, 0, at, 0, false,
						    0});
	else if (kind == TERM_FRESH || ((kind == TERM_PARAMETER || kind == TERM_LOCAL) &&
					(is_shared_place(w, address) || state_any_lock(s))))
		show_in(w, s, object, to, at);
}

bool object_is_made(const struct audit_flow *w, unsigned object)
{
	return number_map_get(&w->made, object);
}

void object_make(struct audit_flow *w, unsigned object)
{
	/* A lock inside a lock: the object that contains the outer one. */
	while (is_lock(w, object))
		object = term_at(w->t, object).a;
	if (!object || object_is_made(w, object))
		return;
	number_map_set(&w->made, object, 1);
	if (term_is_known_outside(w->t, object))
		summary_deed(w, (struct audit_deed){.kind = DEED_MADE, .object = object});
}

void object_end(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at)
{
	const struct term is = term_at(w->t, object);

	if (is.kind == TERM_LOAD && !object_is_own(w, s, is.a) &&
	    !state_find(s, STATE_WRITTEN, 0, is.a) && !state_find(s, STATE_FREED, 0, is.a))
		state_note(s, &(struct state_event){STATE_FREED, object, is.a, state_any_lock(s),
						    at, 0, false, 0});
}

void object_free(struct audit_flow *w, struct state *s, unsigned object, bool always,
		 struct audit_place at)
{
	if (object) {
		object_make(w, object);
		summary_deed(w, (struct audit_deed){.kind = DEED_FREED, .object = object});
		object_end(w, s, object, at);
	}
	if (always)
		state_write(s, object);
}

/* ---- reference counts ------------------------------------------------------------------------ */

void object_count(struct audit_flow *w, unsigned address, struct audit_place at)
{
	enum { MOST = 100 };

	if (!w->records || !field_at(w, address) || w->counts.count >= MOST)
		return;
	array_each(const struct flow_count, known, &w->counts)
		if (known->address == address && known->at.line == at.line &&
		    known->at.column == at.column)
			return;
	*array_add(&w->counts) = (struct flow_count){address, at};
	if (term_is_known_outside(w->t, address))
		summary_deed(w, (struct audit_deed){.kind = DEED_COUNTED, .object = address});
}

/* True if one of its fields was updated twice: a reference was taken here and released. */
static bool is_counted(const struct audit_flow *w, unsigned object)
{
	array_each(const struct flow_count, taken, &w->counts)
		array_each(const struct flow_count, given, &w->counts)
			if (taken < given && taken->address == given->address &&
			    term_at(w->t, taken->address).a == object)
				return true;
	return false;
}

/* ---- accesses -------------------------------------------------------------------------------- */

void object_note_use(struct audit_flow *w, const struct state *s, unsigned address, bool writes)
{
	const struct term is = term_at(w->t, term_object(w->t, address));

	if (is.kind == TERM_PARAMETER && is.a < FIELD_PARAMETERS && !state_any_lock(s))
		*(writes ? &w->facts->writes : &w->facts->reads) |= 1U << is.a;
}

/* Completes the access from the state and adds it to the summary. */
static void note_access(struct audit_flow *w, const struct state *s, struct audit_access *a)
{
	const bool alone = !s->makes_threads && (!a->inner || a->inner->flags & ACCESS_ALONE),
		   late = s->joins_threads || (a->inner && a->inner->flags & ACCESS_LATE);

	object_note_use(w, s, a->address, a->flags & ACCESS_WRITES);
	a->field = field_of(w, a->address);
	if (!a->field)
		a->field = field_of_plain(w, a->address);
	if (!w->records || !a->field || object_is_own(w, s, a->address))
		return;
	a->function = w->index;
	a->block = w->block;
	a->flags &= ~(unsigned)(ACCESS_ALONE | ACCESS_LATE);
	a->flags |= (alone ? ACCESS_ALONE : 0) | (late ? ACCESS_LATE : 0);
	if (!a->inner) {
		a->held = lock_helds(w, s);
		a->when = conditions_of(w, s);
	}
	summary_access(w, a);
}

void object_read(struct audit_flow *w, struct state *s, unsigned address,
		 const struct audit_expr *e, bool is_atomic)
{
	struct audit_access a = {.address = address, .flags = ACCESS_READS, .at = e->at};

	a.flags |= (is_atomic ? ACCESS_ATOMIC : 0) | (e->is_volatile ? ACCESS_VOLATILE : 0);
	if (is_atomic)
		state_note(s,
			   &(struct state_event){STATE_LOADED, 0, address, 0, e->at, 0, false, 0});
	note_access(w, s, &a);
}

void object_pass(struct audit_flow *w, const struct state *s, unsigned address, unsigned flags,
		 struct audit_place at)
{
	struct audit_access a = {.address = address, .flags = flags, .at = at};

	note_access(w, s, &a);
}

void object_access_inside(struct audit_flow *w, struct state *s, const struct audit_access *inner,
			  struct audit_helds held, const struct term_binding *b,
			  struct audit_place at)
{
	struct audit_access a = *inner;

	a.held = held;
	a.address = term_bind_or_any(w->t, inner->address, b);
	a.at = at;
	a.inner = inner;
	a.when = conditions_inside(w, s, &inner->when, b);
	note_access(w, s, &a);
}

/* True if the value or the path condition depends on a load of the address. */
static bool depends_on(const struct audit_flow *w, const struct state *s, unsigned value,
		       unsigned address)
{
	unsigned load = term_of(w->t, TERM_LOAD, address, 0);

	if (!state_find(s, STATE_LOADED, 0, address))
		return false;
	if (term_contains(w->t, value, load))
		return true;
	array_each(const struct state_truth, truth, &s->truths)
		if (term_contains(w->t, truth->term, load))
			return true;
	return false;
}

static void suspect_write(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
			  const struct audit_expr *e, bool is_atomic)
{
	const unsigned object = term_object(w->t, address), field = field_of(w, address);
	const struct state_event *v = object ? state_find(s, STATE_VISIBLE, object, 0) : NULL;
	/* A compare-and-exchange detects a change; an exchange returns the old value. */
	const bool is_exchange = e->kind == EXPR_ATOMIC && e->id == ATOMIC_EXCHANGE;
	struct suspicion is = {.term = address, .field = field, .at = e->at, .other = e->at};

	if (!field || state_any_lock(s))
		return;
	if (v && !is_atomic) {
		is.kind = SUSPECT_LATE_WRITE;
		is.other = v->at;
		is.thread = v->thread;
		is.is_of_unsure = v->is_of_unsure;
		is.is_certain = v->lock || term_kind(w->t, object) == TERM_FRESH;
		suspect(w, &is);
	}
	if (is_atomic && !is_exchange && !object_is_own(w, s, address) &&
	    depends_on(w, s, value, address)) {
		is.kind = SUSPECT_COMPOUND;
		suspect(w, &is);
	}
}

/* A new object becomes visible by a store that orders nothing before it. */
static void suspect_plain_store(struct audit_flow *w, const struct state *s, unsigned address,
				unsigned value, const struct audit_expr *e)
{
	const struct term is = term_at(w->t, address);
	const struct audit_global *g = is.kind == TERM_GLOBAL ? program_global(w->p, is.a) : NULL;

	if (g && g->variable && term_kind(w->t, value) == TERM_FRESH &&
	    object_is_own(w, s, value) && !state_any_lock(s) && !e->operands[0]->is_volatile)
		suspect(w, &(struct suspicion){.kind = SUSPECT_PLAIN_STORE,
					       .term = is.a,
					       .field = g->variable,
					       .is_certain = object_is_made(w, value),
					       .at = e->at,
					       .other = e->at});
}

/* True if a test of what is stored at the address was made in an earlier critical section. */
static bool was_tested_before(const struct audit_flow *w, const struct state *s, unsigned address)
{
	const unsigned load = term_of(w->t, TERM_LOAD, address, 0);

	array_each(const struct state_truth, truth, &s->truths)
		if (truth->is_of_section && load && term_contains(w->t, truth->term, load))
			return true;
	return false;
}

/* A decision made under the lock, which was released since, leads to a write under the lock. */
static void suspect_sections(struct audit_flow *w, struct state *s, unsigned address,
			     const struct audit_expr *e)
{
	const unsigned field = field_of(w, address);

	if (field && s->held.count && was_tested_before(w, s, address))
		suspect(w, &(struct suspicion){.kind = SUSPECT_SECTIONS,
					       .term = address,
					       .field = field,
					       .at = e->at,
					       .other = e->at});
}

static void write_local(struct audit_flow *w, struct state *s, unsigned local, unsigned value)
{
	unsigned record = w->function->locals.items[local].record;

	s->values[local] = value;
	if (record && term_kind(w->t, value) == TERM_FRESH && !record_of_new(w, value))
		*array_add(&w->fresh) = (struct flow_new){value, record};
}

/* A pointer overwritten by a constant under a lock is unlinked: its object belongs to this
   thread. */
static void take_away(struct audit_flow *w, struct state *s, unsigned address,
		      const struct audit_expr *e)
{
	const unsigned was = term_of(w->t, TERM_LOAD, address, 0);

	for (unsigned i = 0; was && e->is_pointer && i < s->locals; i++)
		if (s->values[i] == was)
			s->values[i] = term_of(w->t, TERM_FRESH, e->site, 1);
}

/* True for a pointer stored in an unpublished object: a load from there gives the same object. */
static bool is_kept(const struct audit_flow *w, const struct state *s, unsigned address,
		    unsigned value, const struct audit_expr *e)
{
	const enum term_kind kind = term_kind(w->t, value);

	return e->is_pointer && e->record && (kind == TERM_PARAMETER || kind == TERM_LOAD) &&
	       term_kind(w->t, term_object(w->t, address)) == TERM_FRESH &&
	       object_is_own(w, s, address);
}

void object_keep_local(struct audit_flow *w, unsigned value)
{
	if (is_own_local(w, value))
		number_map_set(&w->kept, term_at(w->t, value).b + 1, 1);
}

void object_keep(struct audit_flow *w, struct state *s, unsigned address, unsigned value)
{
	const unsigned to = term_object(w->t, address);

	if (!value || term_kind(w->t, address) != TERM_FIELD ||
	    (!is_own_local(w, to) && !object_is_made(w, to)))
		return;
	state_put_out(s, address, value);
	if (w->records && term_kind(w->t, to) == TERM_PARAMETER)
		summary_deed(w, (struct audit_deed){DEED_KEPT, value, address, 0, false});
}

static unsigned write_flags(struct audit_flow *w, const struct state *s, unsigned address,
			    const struct audit_expr *e, bool is_atomic, bool is_update)
{
	unsigned flags = ACCESS_WRITES;

	flags |= is_update ? ACCESS_READS : 0;
	flags |= is_atomic ? ACCESS_ATOMIC : 0;
	if (e->kind == EXPR_ASSIGN && !is_update && e->operands[0]->is_volatile)
		flags |= ACCESS_VOLATILE;
	if (state_is_zero(s, w->t, term_of(w->t, TERM_LOAD, address, 0)) == 1)
		flags |= ACCESS_FIRST;
	return flags;
}

void object_write(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  const struct audit_expr *e, bool is_atomic, bool is_update)
{
	const struct term is = term_at(w->t, address);
	struct audit_access a = {.address = address, .at = e->at};

	if (is_own_local(w, address)) {
		write_local(w, s, is.b, value);
		return;
	}
	object_keep_local(w, value);
	if (is.kind == TERM_PARAMETER || is_kept(w, s, address, value, e) || state_out(s, address))
		state_put_out(s, address, value);
	else if (e->is_pointer)
		object_keep(w, s, address, value);
	if (term_kind(w->t, value) == TERM_CONSTANT && state_any_lock(s))
		take_away(w, s, address, e);
	a.flags = write_flags(w, s, address, e, is_atomic, is_update);
	suspect_write(w, s, address, is_update ? 0 : value, e, is_atomic);
	if (!is_atomic && e->kind == EXPR_ASSIGN)
		suspect_plain_store(w, s, address, value, e);
	/* A reset to 0 is right whatever was there. */
	if (!is_atomic && (is_update || state_is_zero(s, w->t, value) != 1))
		suspect_sections(w, s, address, e);
	note_access(w, s, &a);
	if (is_atomic && is_update)
		state_drop(s, STATE_LOADED, address, false);
	if (lock_is_own(w, address) && state_held(s, address))
		lock_release(w, s, address, e->at);
	else if (is_lock(w, address))
		object_make(w, is.a);
	if (is.kind == TERM_FIELD && term_kind(w->t, value) == TERM_FRESH)
		number_map_set(&w->audit->parts, is.b + 1, 1);
	state_change(w->audit, s, address);
	if (is_update)
		object_count(w, address, e->at);
	/* An object freed under a lock that is still held is no longer reachable from the
	   overwritten address. */
	state_forget_shared(s, term_of(w->t, TERM_LOAD, address, 0));
	state_drop(s, STATE_FREED, address, true);
	state_drop(s, STATE_FREED, term_of(w->t, TERM_ELEMENT, address, 0), true);
	state_write(s, address);
	object_store(w, s, address, value, value != term_object(w->t, value), e->at);
}

/* ---- return ---------------------------------------------------------------------------------- */

/* Records new objects stored at the caller's addresses. */
static void leave_out(struct audit_flow *w, struct state *s, struct audit_place at)
{
	array_each(const struct state_event, e, &s->events) {
		const struct term to = term_at(w->t, e->address);

		if (e->kind != STATE_STORED || to.kind != TERM_PARAMETER ||
		    !object_is_own(w, s, e->object))
			continue;
		suspect_unset(w, s, e->object, at);
		summary_deed(w, (struct audit_deed){.kind = DEED_OUT, .object = to.a});
	}
}

static bool is_ended(const struct state *s, unsigned object)
{
	return state_find(s, STATE_WRITTEN, 0, object);
}

/* True if the function releases a lock that is not part of the object. */
static bool uses_other_lock(const struct audit_flow *w, unsigned object)
{
	array_each(const struct flow_release, released, &w->released)
		if (!term_contains(w->t, released->lock, object))
			return true;
	return false;
}

void object_leave(struct audit_flow *w, struct state *s, unsigned value, struct audit_place at)
{
	const bool is_whole = value == term_object(w->t, value), own = object_is_own(w, s, value);

	leave_out(w, s, at);
	if (own && is_whole)
		suspect_unset(w, s, value, at);
	else if (!own && !is_whole)
		object_escape(w, value, "is returned", false, at);
	array_each(struct audit_deed, d, &w->facts->deeds)
		if (d->kind == DEED_FREED && !is_ended(s, d->object))
			d->flag |= state_is_zero(s, w->t, d->object) != 1;
	array_each(const struct state_event, e, &s->events)
		if (e->kind == STATE_FREED && !object_is_made(w, term_object(w->t, e->address)))
			suspect(w, &(struct suspicion){.kind = SUSPECT_FREED,
						       .term = e->address,
						       .at = e->at,
						       .other = e->at,
						       .is_certain = is_ended(s, e->object) ||
								     !is_counted(w, e->object),
						       .is_locked = uses_other_lock(w, e->object)});
}
