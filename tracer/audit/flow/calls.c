/* Evaluates calls: of known functions, of the program's own, and of others. */
#include "tracer/audit/flow/flow.h"
#include "tracer/audit/frontend/program.h"

#include <string.h>

struct audit_call {
	struct audit_flow *w;
	struct state *s;
	const struct audit_expr *e;
	unsigned usr; /* 0 for a call by an unknown pointer */
	const char *name;
	unsigned count, *arguments;
	struct term_binding binding; /* for a function of the program */
	unsigned guesses; /* functions that the pointer may call, of which this is one; or 0 */
};

static unsigned argument(const struct audit_call *c, unsigned i)
{
	return i < c->count ? c->arguments[i] : 0;
}

static unsigned constant_zero(struct audit_flow *w)
{
	return term_of(w->t, TERM_CONSTANT, 0, 0);
}

/* ---- known functions ------------------------------------------------------------------------- */

/* Returns the result of a try, without truths of an earlier one. */
static unsigned try_lock(struct audit_flow *w, struct state *s, unsigned lock, unsigned how)
{
	unsigned term = lock ? term_of(w->t, TERM_TRIED, lock, how) : 0;

	state_forget(s, w->t, term);
	return term;
}

/* A lock's initialization makes its object new. A lock with attributes may be recursive. */
static void initialise(const struct audit_call *c, bool is_recursive)
{
	struct audit_flow *w = c->w;
	const unsigned lock = argument(c, 0);
	const enum term_kind attributes = term_kind(w->t, argument(c, 1));

	object_make(w, term_kind(w->t, lock) == TERM_FIELD ? term_at(w->t, lock).a : lock);
	lock_initialise(w, lock,
			is_recursive || (c->count > 1 && attributes != TERM_CONSTANT &&
					 attributes != TERM_UNKNOWN));
}

/* A thread of C++ is given all of its arguments. */
static void start_cxx(const struct audit_call *c)
{
	const unsigned handle = argument(c, 0);

	thread_start(c->w, c->s, &(struct thread_started){argument(c, 1), argument(c, 2), handle},
		     c->e->at);
	for (unsigned i = 3; i < c->count; i++)
		thread_give(c->w, c->s, argument(c, i), argument(c, 1),
			    thread_is_of(c->w->t, handle, argument(c, i)), c->e->at);
}

static void call_once(struct audit_flow *w, unsigned function)
{
	const struct term is = term_at(w->t, function);
	unsigned index = is.kind == TERM_FUNCTION ? number_map_get(&w->p->function_of, is.a) : 0;

	if (index)
		w->audit->facts[index - 1].is_once = true;
}

static void join_thread(const struct audit_call *c)
{
	const struct term thread = term_at(c->w->t, argument(c, 0));

	if (thread.kind == TERM_LOAD)
		number_map_set(&c->w->audit->joined, thread.a, 1);
	c->s->makes_threads = false;
	c->s->joins_threads = c->w->facts->joins_threads = true;
}

static unsigned call_cxx(const struct audit_call *c, enum call_effect effect)
{
	const struct call_state is = {c->w, c->s, c->e, c->arguments, c->count};

	if (effect == DOES_CXX_THREAD)
		start_cxx(c);
	return effect_cxx(&is, effect);
}

static void destroy(const struct audit_call *c)
{
	initialise(c, false);
	lock_destroyed(c->s, argument(c, 0));
	object_end(c->w, c->s, term_object(c->w->t, argument(c, 0)), c->e->at);
}

static const unsigned tries[] = {
	[DOES_TRY] = SIGN_ZERO | SIGN_POSITIVE << TRIED_FAILED,
	[DOES_TRY_SHARED] = SIGN_ZERO | SIGN_POSITIVE << TRIED_FAILED | TRIED_SHARED,
	[DOES_TRY_TRUE] = SIGN_NOT_ZERO | SIGN_ZERO << TRIED_FAILED,
	[DOES_TRY_SHARED_TRUE] = SIGN_NOT_ZERO | SIGN_ZERO << TRIED_FAILED | TRIED_SHARED,
};

static void use_lock(const struct audit_call *c, enum call_effect effect)
{
	const unsigned lock = argument(c, 0);
	const bool is_semaphore = effect == DOES_SEM_WAIT || effect == DOES_SEM_POST;

	if (is_semaphore && !lock_is_own(c->w, lock))
		return;
	if (effect == DOES_UNLOCK || effect == DOES_SEM_POST)
		lock_release(c->w, c->s, lock, c->e->at);
	else
		lock_take(c->w, c->s, lock, effect == DOES_LOCK_SHARED, c->e->at);
}

static unsigned call_known(const struct audit_call *c, enum call_effect effect)
{
	struct audit_flow *w = c->w;
	struct state *s = c->s;
	const struct call_state is = {w, s, c->e, c->arguments, c->count};
	const unsigned first = argument(c, 0);

	if (effect < sizeof(tries) / sizeof(*tries) && tries[effect])
		return try_lock(w, s, first, tries[effect]);
	switch (effect) {
	case DOES_LOCK:
	case DOES_LOCK_SHARED:
	case DOES_UNLOCK:
	case DOES_SEM_WAIT:
	case DOES_SEM_POST:
		use_lock(c, effect);
		return constant_zero(w);
	case DOES_SET_JUMP:
		return constant_zero(w);
	case DOES_INIT:
	case DOES_INIT_RECURSIVE:
		initialise(c, effect == DOES_INIT_RECURSIVE);
		break;
	case DOES_DESTROY:
		destroy(c);
		break;
	case DOES_ALLOCATE:
	case DOES_ALLOCATE_ZEROED:
		return state_renew(s, w->t, c->e->site, effect == DOES_ALLOCATE_ZEROED);
	case DOES_FREE:
		object_free(w, s, first, true, c->e->at);
		break;
	case DOES_THREAD:
	case DOES_C11_THREAD:
		thread_start(w, s,
			     &(struct thread_started){argument(c, effect == DOES_THREAD ? 2 : 1),
						      argument(c, effect == DOES_THREAD ? 3 : 2),
						      first},
			     c->e->at);
		break;
	case DOES_JOIN:
		join_thread(c);
		break;
	case DOES_WAIT:
		lock_wait(w, s, first, argument(c, 1), c->e->at);
		break;
	case DOES_ONCE:
		call_once(w, argument(c, 1));
		break;
	case DOES_WRITE:
	case DOES_COPY:
		parts_copy(&is, effect == DOES_COPY);
		return first;
	case DOES_END:
		s->never = true;
		break;
	default:
		break;
	}
	return evaluate_anything(w, s, c->e);
}

/* ---- functions of the program ---------------------------------------------------------------- */

static unsigned load_local(void *ctx, unsigned address)
{
	const struct audit_call *c = ctx;
	const struct term is = term_at(c->w->t, address);

	if (is.kind != TERM_LOCAL)
		return is.kind == TERM_FIELD ? state_out(c->s, address) : 0;
	return is.a == c->w->function->usr ? c->s->values[is.b] : 0;
}

static unsigned bind(const struct audit_call *c, unsigned term)
{
	return term_bind(c->w->t, term, &c->binding);
}

/* True if a caller can name the term. */
static bool is_known_outside(const struct audit_call *c, unsigned term)
{
	const enum term_kind root = term_kind(c->w->t, term_root(c->w->t, term));

	return root == TERM_PARAMETER || root == TERM_GLOBAL || root == TERM_RESULT;
}

static void apply_accesses(const struct audit_call *c, const struct audit_facts *f)
{
	array_each(struct audit_access *const, access, &f->accesses)
		if (!((*access)->flags & ACCESS_SETTLED) &&
		    conditions_hold(c->w, c->s, &(*access)->when, &c->binding))
			object_access_inside(c->w, c->s, *access, &c->binding, c->e->at);
}

static struct audit_place taken_at(const struct audit_acquisition *a)
{
	while (a->inner)
		a = a->inner;
	return a->at;
}

/* Adds the callee's acquisition with the caller's lockset; the callee reports its own. */
static void apply_acquisition(const struct audit_call *c, const struct audit_acquisition *inner)
{
	const unsigned lock = bind(c, inner->lock);
	const struct audit_held *has = lock ? state_held(c->s, lock) : NULL;
	struct audit_acquisition all = *inner;

	if (!lock || !conditions_hold(c->w, c->s, &inner->when, &c->binding))
		return;
	if (has && !c->guesses && has->mode == HELD_ALONE && !has->is_unsure && !inner->is_again &&
	    !audit_may_be_taken_twice(c->w->audit, lock))
		suspect(c->w, &(struct suspicion){.kind = SUSPECT_DOUBLE_LOCK,
						  .term = lock,
						  .at = c->e->at,
						  .other = has->at,
						  .again = taken_at(inner)});
	all.lock = lock;
	all.is_guess |= c->guesses > 1;
	all.is_again |= has && has->mode == HELD_LEFT;
	all.function = c->w->index;
	all.moment = state_moment(c->s) == MOMENT_BEFORE ? inner->moment : state_moment(c->s);
	all.at = c->e->at;
	all.held = lock_helds_now(c->s);
	all.when = conditions_inside(c->w, c->s, &inner->when, &c->binding);
	all.inner = inner;
	lock_acquired(c->w, &all);
}

/* Records whether the caller holds the lock that the function releases. */
static void note_giver(const struct audit_call *c, unsigned index, unsigned lock)
{
	const struct audit_held *held = state_held(c->s, lock);
	struct number_map *givers = &c->w->audit->givers;

	if (c->w->records)
		number_map_set(
			givers, index + 1,
			number_map_get(givers, index + 1) |
				(held && held->mode != HELD_LEFT ? GIVER_HAS : GIVER_HAS_NOT));
}

/* Applies the callee's effects on locks. Returns the result of a try, or 0. */
static unsigned apply_effects(const struct audit_call *c, unsigned index,
			      const struct audit_facts *f)
{
	unsigned result = 0;

	array_each(const struct audit_effect, effect, &f->effects) {
		unsigned lock = is_known_outside(c, effect->lock) ? bind(c, effect->lock) : 0;

		if (!lock || !conditions_hold(c->w, c->s, &effect->when, &c->binding))
			continue;
		if (effect->change == CHANGE_LEAVES)
			note_giver(c, index, lock);
		else
			number_map_set(&c->w->takers, lock, index + 1);
		if (effect->tried) {
			result = try_lock(c->w, c->s, lock, effect->tried);
			if (effect->change == CHANGE_LEAVES && state_held(c->s, lock))
				state_held(c->s, lock)->is_unsure = true;
		} else if (effect->change == CHANGE_LEAVES) {
			lock_release(c->w, c->s, lock, c->e->at);
		} else {
			lock_tried(c->w, c->s, lock, effect->is_shared, c->e->at);
		}
	}
	return result;
}

static void apply_deed(const struct audit_call *c, const struct audit_deed *d)
{
	struct audit_flow *w = c->w;
	const unsigned object = d->kind == DEED_OUT ? 0 : bind(c, d->object);

	switch (d->kind) {
	case DEED_STORED:
		object_store(w, c->s, bind(c, d->address), object, d->flag, c->e->at);
		break;
	case DEED_GIVEN:
		object_show(w, c->s, term_object(w->t, object),
			    d->address ? term_at(w->t, d->address).a : 0, c->e->at);
		break;
	case DEED_INIT:
		if (is_known_outside(c, d->object))
			lock_initialise(w, object, d->flag);
		break;
	case DEED_BEGUN:
		if (w->records && object)
			summary_deed(w, (struct audit_deed){.kind = d->kind, .object = object});
		break;
	case DEED_START:
		thread_start(
			w, c->s,
			&(struct thread_started){bind(c, d->address), object, bind(c, d->handle)},
			c->e->at);
		break;
	case DEED_COUNTED:
		if (is_known_outside(c, d->object))
			object_count(w, object, c->e->at);
		break;
	case DEED_MADE:
		if (is_known_outside(c, d->object))
			object_make(w, object);
		break;
	case DEED_KEPT:
		object_keep(w, c->s, bind(c, d->address), object);
		break;
	case DEED_FREED:
		/* An object that the callee loaded itself was judged there. */
		if (term_kind(w->t, d->object) == TERM_PARAMETER)
			object_free(w, c->s, object, !d->flag, c->e->at);
		break;
	case DEED_OUT:
		break;
	}
}

/* Notes which parts of an unpublished object the callee writes. */
static void apply_writes(const struct audit_call *c, const struct audit_facts *f)
{
	array_each(struct audit_access *const, access, &f->accesses) {
		unsigned address = bind(c, (*access)->address);

		if (!((*access)->flags & ACCESS_WRITES) || !address ||
		    !object_is_own(c->w, c->s, address))
			continue;
		state_write(c->s, address);
		if (state_out(c->s, address))
			state_put_out(c->s, address, 0);
	}
	array_each(const struct audit_deed, d, &f->deeds)
		if (d->kind == DEED_MADE && object_is_own(c->w, c->s, bind(c, d->object)))
			state_write(c->s, bind(c, d->object));
}

static unsigned *local_at(const struct audit_call *c, unsigned address)
{
	const struct term is = term_at(c->w->t, address);

	return is.kind == TERM_LOCAL && is.a == c->w->function->usr && is.b < c->s->locals
		       ? &c->s->values[is.b]
		       : NULL;
}

/* Forgets locals whose address the callee gets, or may find. */
static void forget_locals(const struct audit_call *c)
{
	for (unsigned i = 0; i < c->s->locals; i++)
		if (number_map_get(&c->w->kept, i + 1))
			c->s->values[i] = term_of(c->w->t, TERM_SITE, c->e->site, i + 1);
	for (unsigned i = 0; i < c->count; i++) {
		unsigned *local = local_at(c, c->arguments[i]);

		if (local && c->e->operands[i + 1]->is_pointer)
			*local = term_of(c->w->t, TERM_SITE, c->e->operands[i + 1]->site, 0);
	}
}

/* Stores the callee's new object at the address that it was passed. */
static void take_out(const struct audit_call *c, unsigned parameter)
{
	const unsigned address = argument(c, parameter);
	unsigned *local = local_at(c, address), object;

	if (!address)
		return;
	object = state_renew(c->s, c->w->t, c->e->operands[parameter + 1]->site, true);
	if (local)
		*local = object;
	else
		object_store(c->w, c->s, address, object, false, c->e->at);
}

/* Marks fields that the callee writes as stale; all if it takes locks: others may write then. */
static void forget_written(const struct audit_call *c, const struct audit_facts *f)
{
	if (f->acquisitions.count)
		state_change(c->s, c->w->t, 0);
	array_each(struct audit_access *const, access, &f->accesses)
		if ((*access)->flags & ACCESS_WRITES)
			state_change(c->s, c->w->t, (*access)->field);
}

static bool is_given_new(const struct audit_call *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		const unsigned object = term_object(c->w->t, c->arguments[i]);

		if (object && (object_is_own(c->w, c->s, object) || object_is_made(c->w, object)) &&
		    term_kind(c->w->t, object) != TERM_LOCAL)
			return true;
	}
	return false;
}

/* Marks embedded structs whose address is passed: the callee may use all of them. */
static void note_given_whole(const struct audit_call *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		const struct term is = term_whole(c->w->t, c->arguments[i]);

		if (is.kind == TERM_FIELD)
			number_map_set(&c->w->audit->given_whole, is.b + 1, 1);
	}
}

static void apply_facts(struct audit_call *c, const struct audit_facts *f)
{
	const struct call_state is = {c->w, c->s, c->e, c->arguments, c->count};

	parts_use(&is, f->reads, f->writes);
	forget_written(c, f);
	if (c->w->records)
		apply_accesses(c, f);
	for (size_t i = 0; c->w->records && i < f->acquisitions.count; i++)
		apply_acquisition(c, f->acquisitions.items[i]);
	apply_writes(c, f);
	array_each(const struct audit_deed, d, &f->deeds)
		apply_deed(c, d);
}

/* A join counts as a join of all threads. */
static void apply_threads(const struct audit_call *c, const struct audit_facts *f)
{
	struct state *s = c->s;

	s->makes_threads = !f->joins_threads && (s->makes_threads || f->makes_threads);
	s->joins_threads |= f->joins_threads;
	c->w->facts->joins_threads |= f->joins_threads;
	c->w->facts->makes_threads |= f->makes_threads;
	s->never |= f->never_returns || !returns_hold(c->w, s, f, &c->binding);
}

static unsigned call_own(struct audit_call *c, unsigned index)
{
	struct audit_flow *w = c->w;
	const struct audit_facts *f = audit_facts_of(w->audit, index);
	unsigned tried, result;

	c->binding = (struct term_binding){c->arguments, c->count, 0, load_local, c};
	number_map_set(&w->audit->called, c->usr, 1);
	note_given_whole(c);
	if (w->records)
		*array_add(&w->audit->calls) = (struct audit_edge){
			w->index,	    index,   lock_helds(w, c->s), is_given_new(c),
			state_moment(c->s), c->e->at};
	if (f->progress != FACTS_DONE) {
		forget_locals(c);
		return evaluate_anything(w, c->s, c->e);
	}
	apply_facts(c, f);
	result = bind(c, f->result);
	if (term_kind(w->t, f->result) == TERM_FRESH)
		result = state_renew(c->s, w->t, c->e->site, true);
	c->binding.result = result ? result : evaluate_anything(w, c->s, c->e);
	forget_locals(c);
	array_each(const struct audit_deed, d, &f->deeds)
		if (d->kind == DEED_OUT)
			take_out(c, d->object);
	tried = apply_effects(c, index, f);
	apply_threads(c, f);
	return tried ? tried : c->binding.result;
}

/* A call by a pointer in a struct calls any function that a table has there; only the locks that it
   takes are known then. */
static void call_table(struct audit_call *c)
{
	enum { MOST = 8 };
	const struct audit_expr *to = c->e->operands[0];
	struct audit_flow *w = c->w;
	unsigned usr, count = 0;

	if (!w->records || to->kind != EXPR_MEMBER)
		return;
	for (size_t at = 0; number_map_next(&w->p->stored, to->id + 1, &at);)
		count++;
	c->binding = (struct term_binding){c->arguments, c->count, 0, load_local, c};
	c->guesses = count;
	for (size_t at = 0;
	     count <= MOST && (usr = number_map_next(&w->p->stored, to->id + 1, &at));) {
		const unsigned index = targets_function(w->p, usr, w->function->unit);
		const struct audit_facts *f = index ? audit_facts_of(w->audit, index - 1) : NULL;

		for (size_t i = 0; f && f->progress == FACTS_DONE && i < f->acquisitions.count; i++)
			apply_acquisition(c, f->acquisitions.items[i]);
	}
}

/* ---- other functions ------------------------------------------------------------------------- */

/* Arguments escape to functions of other modules, but not to those of libc. */
static void let_out(const struct audit_call *c)
{
	if (c->usr && !number_map_get(&c->w->p->declared, c->usr))
		return;
	for (unsigned i = 0; i < c->count; i++)
		if (term_kind(c->w->t, c->arguments[i]) == TERM_FIELD &&
		    (c->e->operands[i + 1]->is_pointer || c->e->operands[i + 1]->decays) &&
		    !object_is_own(c->w, c->s, c->arguments[i]))
			object_escape(c->w, c->arguments[i],
				      c->usr ? "is passed to another module"
					     : "is passed to an unknown function",
				      !c->usr, c->e->at);
}

/* A library function that creates a thread: each function passed to it runs in one. */
static void start_unknown(const struct audit_call *c)
{
	bool any = false;

	for (unsigned i = 0; i < c->count; i++) {
		const struct term is = term_at(c->w->t, c->arguments[i]);

		if (is.kind == TERM_FUNCTION)
			thread_note(c->w, is.a, THREAD_SHARES);
		any |= is.kind == TERM_FUNCTION || is.kind == TERM_PARAMETER;
	}
	if (any)
		c->s->makes_threads = c->w->facts->makes_threads = true;
}

static unsigned call_other(const struct audit_call *c)
{
	const struct call_state is = {c->w, c->s, c->e, c->arguments, c->count};

	if (call_may_make_thread(c->name))
		start_unknown(c);
	let_out(c);
	if (c->usr && !call_synchronizes(c->name))
		parts_use_unknown(&is);
	for (unsigned i = 0; i < c->count; i++)
		if (term_kind(c->w->t, c->arguments[i]) == TERM_FRESH ||
		    term_kind(c->w->t, c->arguments[i]) == TERM_FIELD)
			state_write(c->s, c->arguments[i]);
	forget_locals(c);
	state_change(c->s, c->w->t, 0);
	return evaluate_anything(c->w, c->s, c->e);
}

static unsigned call(struct audit_call *c)
{
	const unsigned index = targets_function(c->w->p, c->usr, c->w->function->unit);
	const enum call_effect effect =
		c->usr ? call_effect_of(c->w->audit->options, c->name) : DOES_NOTHING;

	if (effect > DOES_SET_JUMP)
		return call_cxx(c, effect);
	if (effect != DOES_NOTHING)
		return call_known(c, effect);
	if (index)
		return call_own(c, index - 1);
	call_table(c);
	return call_other(c);
}

unsigned evaluate_call(struct audit_flow *w, struct state *s, const struct audit_expr *e)
{
	const struct audit_expr *to = e->count ? e->operands[0] : NULL;
	struct audit_call c = {.w = w, .s = s, .e = e};
	unsigned result;

	if (!to)
		return 0;
	c.count = e->count - 1;
	c.arguments = base_alloc(c.count + 1, sizeof(*c.arguments));
	if (to->kind == EXPR_FUNCTION) {
		c.usr = to->id;
	} else {
		const struct term is = term_at(w->t, evaluate(w, s, to));

		c.usr = is.kind == TERM_FUNCTION ? is.a : 0;
	}
	c.name = known_name_in_usr(program_text(w->p, c.usr));
	for (unsigned i = 0; i < c.count; i++)
		c.arguments[i] = evaluate(w, s, e->operands[i + 1]);
	result = call(&c);
	base_free(c.arguments);
	return result;
}
