/* Calls: of functions that everybody knows, of the program's own, and of others. */
#include "tracer/audit/flow/calls.h"
#include "tracer/audit/flow/flow.h"
#include "tracer/audit/frontend/targets.h"

#include <string.h>

struct audit_call {
	const struct audit_expr *e;
	unsigned usr; /* 0: by a pointer */
	const char *name;
	unsigned count, *arguments;
};

static struct terms *terms_of(struct audit_flow *w)
{
	return &w->audit->terms;
}

static unsigned argument(const struct audit_call *c, unsigned i)
{
	return i < c->count ? c->arguments[i] : 0;
}

static unsigned anything(struct audit_flow *w, struct state *s, const struct audit_call *c)
{
	unsigned term = term_of(terms_of(w), TERM_SITE, c->e->site, 0);

	state_forget(s, terms_of(w), term);
	return term;
}

/* ---- those that everybody knows ------------------------------------------------------------------------------- */

/* Each time anew. */
static unsigned tried(struct audit_flow *w, struct state *s, unsigned lock, unsigned how)
{
	unsigned term = lock ? term_of(terms_of(w), TERM_TRIED, lock, how) : 0;

	state_forget(s, terms_of(w), term);
	return term;
}

/* The lock's object is new; with attributes, the lock may be one that is taken twice. */
static void initialise(struct audit_flow *w, const struct audit_call *c)
{
	const struct term attributes = term_at(terms_of(w), argument(c, 1)),
			  lock = term_at(terms_of(w), argument(c, 0));

	object_make(w, lock.kind == TERM_FIELD ? lock.a : argument(c, 0));
	if (w->records && argument(c, 0))
		*array_add(&w->facts->inits) = argument(c, 0);
	if (c->count > 1 && attributes.kind != TERM_CONSTANT && attributes.kind != TERM_UNKNOWN)
		number_map_set(&w->audit->recursive, audit_lock_key(w->audit, argument(c, 0)), 1);
}

/* Is the thread's handle a part of the object that the thread is given? Then each object has one thread. */
static bool is_thread_of(const struct terms *t, unsigned handle, unsigned given)
{
	for (; handle && handle != given; handle = term_at(t, handle).a)
		if (term_at(t, handle).kind != TERM_FIELD)
			return false;
	return handle != 0;
}

static void note_thread(struct audit_flow *w, unsigned usr, bool is_own)
{
	number_map_set(&w->audit->program->taken, usr, TAKEN_BY_THREAD);
	if (number_map_get(&w->audit->own_threads, usr) != THREAD_SHARES)
		number_map_set(&w->audit->own_threads, usr, is_own ? THREAD_OWNS : THREAD_SHARES);
}

/* A wrapper's caller says what the thread begins with. */
static void note_start(struct audit_flow *w, const struct audit_start *start)
{
	array_each(const struct audit_start, known, &w->facts->starts)
		if (known->function == start->function && known->given == start->given &&
		    known->handle == start->handle)
			return;
	*array_add(&w->facts->starts) = *start;
}

static void start_thread(struct audit_flow *w, struct state *s, const struct audit_start *start,
			 struct audit_place at)
{
	const struct term body = term_at(terms_of(w), start->function);

	s->makes_threads = w->facts->makes_threads = true;
	if (body.kind == TERM_FUNCTION)
		note_thread(w, body.a, is_thread_of(terms_of(w), start->handle, start->given));
	else if (body.kind == TERM_PARAMETER)
		note_start(w, start);
	if (!start->given)
		return;
	object_show(w, s, term_object(terms_of(w), start->given), at);
	*array_add(&w->facts->given) = start->given;
	if (w->records && is_thread_of(terms_of(w), start->handle, start->given))
		*array_add(&w->facts->begun) = start->given;
}

/* What the address is of: a whole struct of ours, or a part of one. */
static void touch(struct audit_flow *w, struct state *s, unsigned address,
		  const struct audit_call *c, bool writes)
{
	const enum term_kind kind = term_at(terms_of(w), address).kind;
	struct audit_expr e = *c->e;

	e.decays = false;
	if (kind == TERM_FIELD || kind == TERM_ELEMENT) {
		if (writes)
			object_write(w, s, address, 0, &e, false, false);
		else
			object_read(w, s, address, &e, false);
	} else if (writes && address) {
		state_write(s, address);
	}
}

/* Of all of an object: who overwrites it has it alone, who copies it lets all out. */
static void touch_whole(struct audit_flow *w, struct state *s, const struct audit_call *c,
			bool copies)
{
	const struct audit_expr *first = c->count ? c->e->operands[1] : NULL,
				*second = copies && c->count > 1 ? c->e->operands[2] : NULL;
	const struct audit_program *p = w->audit->program;

	touch(w, s, argument(c, 0), c, true);
	if (copies)
		touch(w, s, argument(c, 1), c, false);
	if (first && first->record && first->is_pointer &&
	    program_is_shared(&p->records.items[first->record - 1]) &&
	    term_object(terms_of(w), argument(c, 0)) == argument(c, 0))
		object_make(w, argument(c, 0));
	if (second && second->record && second->is_pointer && argument(c, 1) &&
	    program_is_shared(&p->records.items[second->record - 1]) &&
	    term_object(terms_of(w), argument(c, 1)) == argument(c, 1) &&
	    !object_is_own(w, s, argument(c, 1)))
		suspect(w, &(struct suspicion){SUSPECT_ESCAPE, w->index, argument(c, 1), 0,
					       "is copied as a whole", c->e->at, c->e->at, false});
}

static void call_once(struct audit_flow *w, unsigned function)
{
	const struct term is = term_at(terms_of(w), function);
	unsigned index = is.kind == TERM_FUNCTION
				 ? number_map_get(&w->audit->program->function_of, is.a)
				 : 0;

	if (index)
		w->audit->facts[index - 1].is_once = true;
}

static void apply_thread(struct audit_flow *w, struct state *s, const struct audit_call *c,
			 enum call_effect effect)
{
	const unsigned function = effect == DOES_THREAD ? 2 : 1;

	if (effect == DOES_ONCE) {
		call_once(w, argument(c, 1));
	} else if (effect == DOES_JOIN) {
		s->makes_threads = false;
		s->joins_threads = w->facts->joins_threads = true;
	} else {
		start_thread(w, s,
			     &(struct audit_start){argument(c, function), argument(c, function + 1),
						   argument(c, 0)},
			     c->e->at);
	}
}

static unsigned apply_known(struct audit_flow *w, struct state *s, const struct audit_call *c,
			    enum call_effect effect)
{
	const struct audit_place at = c->e->at;

	switch (effect) {
	case DOES_LOCK:
	case DOES_LOCK_SHARED:
		lock_take(w, s, argument(c, 0), effect == DOES_LOCK_SHARED, at);
		return term_of(terms_of(w), TERM_CONSTANT, 0, 0);
	case DOES_UNLOCK:
		lock_release(w, s, argument(c, 0), at);
		return term_of(terms_of(w), TERM_CONSTANT, 0, 0);
	case DOES_SET_JUMP:
		return term_of(terms_of(w), TERM_CONSTANT, 0, 0);
	case DOES_TRY:
		return tried(w, s, argument(c, 0), TRIED_ZERO);
	case DOES_TRY_SHARED:
		return tried(w, s, argument(c, 0), TRIED_ZERO | TRIED_SHARED);
	case DOES_TRY_TRUE:
		return tried(w, s, argument(c, 0), TRIED_NOT_ZERO);
	case DOES_TRY_TRUE_SHARED:
		return tried(w, s, argument(c, 0), TRIED_NOT_ZERO | TRIED_SHARED);
	case DOES_INIT:
		initialise(w, c);
		break;
	case DOES_INIT_RECURSIVE:
		initialise(w, c);
		number_map_set(&w->audit->recursive, audit_lock_key(w->audit, argument(c, 0)), 1);
		break;
	case DOES_DESTROY:
		initialise(w, c);
		object_end(w, s, term_object(terms_of(w), argument(c, 0)), at);
		break;
	case DOES_ALLOCATE:
	case DOES_ALLOCATE_ZEROED:
		return term_of(terms_of(w), TERM_FRESH, c->e->site, effect == DOES_ALLOCATE_ZEROED);
	case DOES_FREE:
		object_free(w, s, argument(c, 0), at);
		break;
	case DOES_THREAD:
	case DOES_C11_THREAD:
	case DOES_JOIN:
	case DOES_ONCE:
		apply_thread(w, s, c, effect);
		break;
	case DOES_WRITE:
	case DOES_COPY:
		touch_whole(w, s, c, effect == DOES_COPY);
		return argument(c, 0);
	case DOES_END:
		s->never = true;
		break;
	case DOES_NOTHING:
		break;
	}
	return anything(w, s, c);
}

/* ---- the program's own ------------------------------------------------------------------------------------------ */

struct applied {
	struct audit_flow *w;
	struct state *s;
	const struct audit_call *c;
	unsigned index; /* of the function */
	struct term_binding binding;
};

static unsigned load_local(void *ctx, unsigned address)
{
	const struct applied *a = ctx;
	const struct term is = term_at(terms_of(a->w), address);

	if (is.kind != TERM_LOCAL)
		return is.kind == TERM_FIELD ? state_out(a->s, address) : 0;
	return is.a == a->w->function->usr ? a->s->values[is.b] : 0;
}

static unsigned bind(struct applied *a, unsigned term)
{
	return term_bind(terms_of(a->w), term, &a->binding);
}

/* Is it something that a caller has, too? */
static bool is_known_outside(struct audit_flow *w, unsigned term)
{
	const enum term_kind root = term_at(terms_of(w), term_root(terms_of(w), term)).kind;

	return root == TERM_PARAMETER || root == TERM_GLOBAL || root == TERM_RESULT;
}

static void apply_accesses(struct applied *a, const struct audit_facts *f)
{
	for (size_t i = 0; a->w->records && i < f->accesses.count; i++) {
		const struct audit_access *inner = f->accesses.items[i];
		struct audit_helds held;

		if (inner->is_settled || !conditions_hold(a->w, a->s, &inner->when, &a->binding))
			continue;
		held = lock_helds_inside(a->w, a->s, &inner->held, &a->binding);
		object_access_inside(a->w, a->s, inner,
				     term_bind_or_any(terms_of(a->w), inner->address, &a->binding),
				     &held, &a->binding, a->c->e->at);
	}
}

static void apply_acquisitions(struct applied *a, const struct audit_facts *f)
{
	for (size_t i = 0; a->w->records && i < f->acquisitions.count; i++) {
		const struct audit_acquisition *inner = f->acquisitions.items[i];
		unsigned lock = bind(a, inner->lock);
		const struct audit_held *has = lock ? state_held(a->s, lock) : NULL;
		struct audit_acquisition all = *inner;

		if (!lock || !conditions_hold(a->w, a->s, &inner->when, &a->binding))
			continue;
		if (has && has->mode == HELD_ALONE && !has->is_unsure && !inner->is_again &&
		    !audit_may_be_taken_twice(a->w->audit, lock))
			suspect(a->w, &(struct suspicion){SUSPECT_DOUBLE_LOCK, a->w->index, lock, 0,
							  NULL, a->c->e->at, has->at, false});
		/* What is held inside is told where it is taken. */
		all.lock = lock;
		all.function = a->w->index;
		all.at = a->c->e->at;
		all.held = lock_helds_now(a->s);
		all.when = conditions_inside(a->w, a->s, &inner->when, &a->binding);
		all.inner = inner;
		lock_acquired(a->w, &all);
	}
}

/* Does who calls it have the lock that it releases? */
static void note_giver(struct applied *a, unsigned lock)
{
	const struct audit_held *held = state_held(a->s, lock);
	struct number_map *givers = &a->w->audit->givers;

	if (a->w->records)
		number_map_set(
			givers, a->index + 1,
			number_map_get(givers, a->index + 1) |
				(held && held->mode != HELD_LEFT ? GIVER_HAS : GIVER_HAS_NOT));
}

static unsigned apply_effects(struct applied *a, const struct audit_facts *f)
{
	unsigned result = 0;

	array_each(const struct audit_effect, effect, &f->effects) {
		unsigned lock = is_known_outside(a->w, effect->lock) ? bind(a, effect->lock) : 0;
		struct audit_held *held;

		if (!lock || !conditions_hold(a->w, a->s, &effect->when, &a->binding))
			continue;
		if (effect->change == CHANGE_LEAVES) {
			note_giver(a, lock);
			lock_release(a->w, a->s, lock, a->c->e->at);
		} else if (effect->change == CHANGE_TAKES) {
			lock_tried(a->w, a->s, lock, effect->is_shared, a->c->e->at);
			held = state_held(a->s, lock);
			held->is_given = true;
		} else {
			result = tried(a->w, a->s, lock,
				       effect->tried | (effect->is_shared ? TRIED_SHARED : 0));
		}
	}
	return result;
}

static void apply_objects(struct applied *a, const struct audit_facts *f)
{
	const struct audit_place at = a->c->e->at;

	for (size_t i = 0; i < f->stored.count; i++)
		object_store(a->w, a->s, bind(a, f->stored.items[i].address),
			     bind(a, f->stored.items[i].object), f->stored.items[i].is_part, at);
	for (size_t i = 0; i < f->given.count; i++)
		object_show(a->w, a->s, term_object(terms_of(a->w), bind(a, f->given.items[i])),
			    at);
	for (size_t i = 0; a->w->records && i < f->inits.count; i++)
		if (is_known_outside(a->w, f->inits.items[i]) && bind(a, f->inits.items[i]))
			*array_add(&a->w->facts->inits) = bind(a, f->inits.items[i]);
	for (size_t i = 0; a->w->records && i < f->begun.count; i++)
		if (bind(a, f->begun.items[i]))
			*array_add(&a->w->facts->begun) = bind(a, f->begun.items[i]);
	for (size_t i = 0; i < f->starts.count; i++) {
		const struct audit_start *start = &f->starts.items[i];

		start_thread(a->w, a->s,
			     &(struct audit_start){bind(a, start->function), bind(a, start->given),
						   bind(a, start->handle)},
			     at);
	}
	for (size_t i = 0; i < f->counted.count; i++)
		if (is_known_outside(a->w, f->counted.items[i]))
			object_count(a->w, bind(a, f->counted.items[i]), at);
	/* What it has loaded itself was looked at there. */
	for (size_t i = 0; i < f->freed.count; i++)
		if (term_at(terms_of(a->w), f->freed.items[i]).kind == TERM_PARAMETER)
			object_free_inside(a->w, a->s, f, i, bind(a, f->freed.items[i]), at);
	for (size_t i = 0; i < f->made.count; i++)
		if (is_known_outside(a->w, f->made.items[i]))
			object_make(a->w, bind(a, f->made.items[i]));
}

/* What it writes of a new object is written. */
static void apply_writes(struct applied *a, const struct audit_facts *f)
{
	for (size_t i = 0; i < f->accesses.count; i++) {
		unsigned address = bind(a, f->accesses.items[i]->address);

		if (!f->accesses.items[i]->writes || !address ||
		    !object_is_own(a->w, a->s, address))
			continue;
		state_write(a->s, address);
		if (state_out(a->s, address))
			state_put_out(a->s, address, 0);
	}
	for (size_t i = 0; i < f->made.count; i++)
		if (object_is_own(a->w, a->s, bind(a, f->made.items[i])))
			state_write(a->s, bind(a, f->made.items[i]));
}

/* Locals whose address it was given may have been changed. */
static void forget_locals(struct audit_flow *w, struct state *s, const struct audit_call *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		const struct term is = term_at(terms_of(w), c->arguments[i]);

		if (is.kind == TERM_LOCAL && is.a == w->function->usr && is.b < s->locals &&
		    c->e->operands[i + 1]->is_pointer)
			s->values[is.b] =
				term_of(terms_of(w), TERM_SITE, c->e->operands[i + 1]->site, 0);
	}
}

/* Those that it was given the place for, and that nobody else has. */
static void take_out(struct audit_flow *w, struct state *s, const struct audit_call *c,
		     const struct audit_facts *f)
{
	array_each(const unsigned, parameter, &f->out) {
		const unsigned address = argument(c, *parameter);
		const struct term is = term_at(terms_of(w), address);
		unsigned object;

		if (!address)
			continue;
		object = term_of(terms_of(w), TERM_FRESH, c->e->operands[*parameter + 1]->site, 1);
		if (is.kind == TERM_LOCAL && is.a == w->function->usr && is.b < s->locals)
			s->values[is.b] = object;
		else
			object_store(w, s, address, object, false, c->e->at);
	}
}

/* What was known of fields that it writes; of all, if it takes locks: others may come meanwhile. */
static void forget_written(struct audit_flow *w, struct state *s, const struct audit_facts *f)
{
	if (f->acquisitions.count)
		state_change(s, terms_of(w), 0);
	for (size_t i = 0; i < f->accesses.count; i++)
		if (f->accesses.items[i]->writes)
			state_change(s, terms_of(w), f->accesses.items[i]->field);
}

static bool is_given_new(const struct audit_flow *w, const struct state *s,
			 const struct audit_call *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		const unsigned object = term_object(&w->audit->terms, c->arguments[i]);

		if (object && (object_is_own(w, s, object) || object_is_made(w, object)) &&
		    term_at(&w->audit->terms, object).kind != TERM_LOCAL)
			return true;
	}
	return false;
}

/* A struct that is a field: who is given its address uses what he likes of it. */
static void note_given_whole(const struct audit_flow *w, const struct audit_call *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		struct term is = term_at(&w->audit->terms, c->arguments[i]);

		while (is.kind == TERM_ELEMENT)
			is = term_at(&w->audit->terms, is.a);
		if (is.kind == TERM_FIELD)
			number_map_set(&w->audit->given_whole, is.b + 1, 1);
	}
}

static unsigned apply_own(struct audit_flow *w, struct state *s, const struct audit_call *c,
			  unsigned index)
{
	struct applied a = {w, s, c, index, {c->arguments, c->count, 0, load_local, NULL}};
	const struct audit_facts *f = audit_facts_of(w->audit, index);
	unsigned tried, result;

	a.binding.ctx = &a;
	number_map_set(&w->audit->called, c->usr, 1);
	note_given_whole(w, c);
	if (w->records)
		*array_add(&w->audit->calls) = (struct audit_edge){
			w->index, index, lock_helds(w, s), is_given_new(w, s, c), c->e->at};
	if (f->progress != FACTS_DONE) {
		forget_locals(w, s, c);
		return anything(w, s, c);
	}
	forget_written(w, s, f);
	apply_accesses(&a, f);
	apply_acquisitions(&a, f);
	apply_writes(&a, f);
	apply_objects(&a, f);
	result = bind(&a, f->result);
	if (term_at(terms_of(w), f->result).kind == TERM_FRESH)
		result = term_of(terms_of(w), TERM_FRESH, c->e->site, 1);
	a.binding.result = result ? result : anything(w, s, c);
	forget_locals(w, s, c);
	take_out(w, s, c, f);
	tried = apply_effects(&a, f);
	/* Who waits for threads has waited for those that there are. */
	s->makes_threads = !f->joins_threads && (s->makes_threads || f->makes_threads);
	s->joins_threads |= f->joins_threads;
	w->facts->joins_threads |= f->joins_threads;
	w->facts->makes_threads |= f->makes_threads;
	s->never |= f->never_returns;
	if (term_at(terms_of(w), result).kind == TERM_TRIED)
		state_forget(s, terms_of(w), result);
	return tried ? tried : a.binding.result;
}

/* ---- any ------------------------------------------------------------------------------------------------------------ */

/* Behind the last @ of its USR. */
static const char *calls_name_of(const struct audit_program *p, unsigned usr)
{
	const char *text = program_text(p, usr), *at = strrchr(text, '@');

	return at ? at + 1 : text;
}

/* Others' functions may keep what they are given; those of libc do not. */
static void let_out(struct audit_flow *w, struct state *s, const struct audit_call *c)
{
	const struct audit_program *p = w->audit->program;

	if (c->usr && !number_map_get(&p->declared, c->usr))
		return;
	for (unsigned i = 0; i < c->count; i++)
		if (term_at(terms_of(w), c->arguments[i]).kind == TERM_FIELD &&
		    c->e->operands[i + 1]->is_pointer | c->e->operands[i + 1]->decays &&
		    !object_is_own(w, s, c->arguments[i]))
			object_escape(w, c->arguments[i],
				      c->usr ? "is given to another module"
					     : "is given to a function that is not known",
				      c->e->at);
}

/* A library's way to make a thread: whatever function it is given runs in one. */
static void start_unknown(struct audit_flow *w, struct state *s, const struct audit_call *c)
{
	bool any = false;

	for (unsigned i = 0; i < c->count; i++) {
		const struct term is = term_at(terms_of(w), c->arguments[i]);

		if (is.kind == TERM_FUNCTION)
			note_thread(w, is.a, false);
		any |= is.kind == TERM_FUNCTION || is.kind == TERM_PARAMETER;
	}
	if (any)
		s->makes_threads = w->facts->makes_threads = true;
}

static unsigned apply(struct audit_flow *w, struct state *s, const struct audit_call *c)
{
	unsigned index = targets_function(w->audit->program, c->usr, w->function->unit);
	enum call_effect effect =
		c->usr ? call_effect_of(w->audit->options, c->name) : DOES_NOTHING;

	if (effect != DOES_NOTHING)
		return apply_known(w, s, c, effect);
	if (index)
		return apply_own(w, s, c, index - 1);
	if (call_may_make_thread(c->name))
		start_unknown(w, s, c);
	let_out(w, s, c);
	for (unsigned i = 0; i < c->count; i++)
		if (term_at(terms_of(w), c->arguments[i]).kind == TERM_FRESH ||
		    term_at(terms_of(w), c->arguments[i]).kind == TERM_FIELD)
			state_write(s, c->arguments[i]);
	forget_locals(w, s, c);
	state_change(s, terms_of(w), 0);
	return anything(w, s, c);
}

unsigned evaluate_call(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	const struct audit_expr *to = e->count ? e->operands[0] : NULL;
	struct audit_call c = {.e = e};
	unsigned result;

	if (!to)
		return 0;
	c.count = e->count - 1;
	c.arguments = base_alloc(c.count + 1, sizeof(*c.arguments));
	if (to->kind == EXPR_FUNCTION) {
		c.usr = to->id;
	} else {
		const struct term is = term_at(terms_of(w), evaluate(w, s, to));

		c.usr = is.kind == TERM_FUNCTION ? is.a : 0;
	}
	c.name = calls_name_of(w->audit->program, c.usr);
	for (unsigned i = 0; i < c.count; i++)
		c.arguments[i] = evaluate(w, s, e->operands[i + 1]);
	result = apply(w, s, &c);
	base_free(c.arguments);
	return result;
}
