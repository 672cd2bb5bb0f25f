/* Evaluates calls of known functions and of functions whose code is unknown. */
#include "tracer/audit/flow/calls_internal.h"
#include "tracer/audit/frontend/program.h"

#include <string.h>

static unsigned constant_zero(struct audit_flow *w)
{
	return term_of(w->t, TERM_CONSTANT, 0, 0);
}

/* ---- known functions ------------------------------------------------------------------------- */

/* A lock's initialization makes its object new. A lock with attributes may be recursive. */
static void initialise(const struct audit_call *c, bool is_recursive)
{
	struct audit_flow *w = c->w;
	const unsigned lock = call_argument(c, 0);
	const enum term_kind attributes = term_kind(w->t, call_argument(c, 1));

	object_make(w, term_kind(w->t, lock) == TERM_FIELD ? term_at(w->t, lock).a : lock);
	lock_initialise(w, lock,
			is_recursive || (c->count > 1 && attributes != TERM_CONSTANT &&
					 attributes != TERM_UNKNOWN));
}

/* A thread of C++ is given all of its arguments. */
static void start_cxx(const struct audit_call *c)
{
	const unsigned handle = call_argument(c, 0);

	thread_start(c->w, c->s,
		     &(struct thread_started){call_argument(c, 1), call_argument(c, 2), handle},
		     c->e->at);
	for (unsigned i = 3; i < c->count; i++)
		thread_give(c->w, c->s, call_argument(c, i), call_argument(c, 1),
			    thread_is_of(c->w->t, handle, call_argument(c, i)), c->e->at);
}

/* pthread_create(3) and thrd_create(3) return 0 for a thread that is there. */
static void start_thread(const struct audit_call *c, unsigned function, unsigned given)
{
	const unsigned object = term_object(c->w->t, call_argument(c, given));
	/* Another thread, as of an earlier round of a loop, may have it. */
	const bool is_shared = state_find(c->s, STATE_VISIBLE, object, 0);
	struct state_event *e;

	state_write(c->s, call_argument(c, 0)); /* the handle, before the thread runs */
	thread_start(c->w, c->s,
		     &(struct thread_started){call_argument(c, function), call_argument(c, given),
					      call_argument(c, 0)},
		     c->e->at);
	e = (struct state_event *)state_find(c->s, STATE_VISIBLE, object, 0);
	if (e)
		e->result = is_shared ? 0 : term_of(c->w->t, TERM_SITE, c->e->site, 0);
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
	const struct term thread = term_at(c->w->t, call_argument(c, 0));

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
	lock_destroyed(c->s, call_argument(c, 0));
	object_end(c->w, c->s, term_object(c->w->t, call_argument(c, 0)), c->e->at);
}

static const unsigned tries[] = {
	[DOES_TRY] = SIGN_ZERO | SIGN_POSITIVE << TRIED_FAILED,
	[DOES_TRY_SHARED] = SIGN_ZERO | SIGN_POSITIVE << TRIED_FAILED | TRIED_SHARED,
	[DOES_TRY_TRUE] = SIGN_NOT_ZERO | SIGN_ZERO << TRIED_FAILED,
	[DOES_TRY_SHARED_TRUE] = SIGN_NOT_ZERO | SIGN_ZERO << TRIED_FAILED | TRIED_SHARED,
};

static void use_lock(const struct audit_call *c, enum call_effect effect)
{
	const unsigned lock = call_argument(c, 0);
	const bool is_semaphore = effect == DOES_SEM_WAIT || effect == DOES_SEM_POST;

	if (is_semaphore && !lock_is_own(c->w, lock))
		return;
	if (effect == DOES_UNLOCK || effect == DOES_SEM_POST)
		lock_release(c->w, c->s, lock, c->e->at);
	else
		lock_take(c->w, c->s, lock, effect == DOES_LOCK_SHARED, c->e->at);
	if (effect == DOES_LOCK_RECURSIVE)
		lock_recurses(c->w, lock);
}

static unsigned call_known(const struct audit_call *c, enum call_effect effect)
{
	struct audit_flow *w = c->w;
	struct state *s = c->s;
	const struct call_state is = {w, s, c->e, c->arguments, c->count};
	const unsigned first = call_argument(c, 0);

	if (effect < sizeof(tries) / sizeof(*tries) && tries[effect])
		return state_tried(s, w->t, first, tries[effect]);
	switch (effect) {
	case DOES_LOCK:
	case DOES_LOCK_SHARED:
	case DOES_LOCK_RECURSIVE:
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
		start_thread(c, 2, 3);
		break;
	case DOES_C11_THREAD:
		start_thread(c, 1, 2);
		break;
	case DOES_JOIN:
		join_thread(c);
		break;
	case DOES_WAIT:
		lock_wait(w, s, first, call_argument(c, 1), c->e->at);
		break;
	case DOES_ONCE:
		call_once(w, call_argument(c, 1));
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
	return state_anything(s, w->t, c->e->site);
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
	c->guesses = count;
	for (size_t at = 0;
	     count <= MOST && (usr = number_map_next(&w->p->stored, to->id + 1, &at));) {
		const unsigned index = targets_function(w->p, usr, w->function->unit);
		const struct audit_facts *f = index ? audit_facts_of(w->audit, index - 1) : NULL;

		if (f && f->progress == FACTS_DONE)
			call_acquire(c, f);
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
				      !c->usr || c->e->operands[i + 1]->decays, c->e->at);
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
	call_forget_locals(c);
	state_change_all(c->w->audit, c->s);
	return state_anything(c->s, c->w->t, c->e->site);
}

/* The called function (index + 1), or 0. One that a header of the system declares is the system's,
   unless the same target defines it: another target's, as of a library to preload, only stands in
   for it. */
static unsigned called(const struct audit_call *c)
{
	const struct audit_program *p = c->w->p;
	const struct audit_expr *to = c->e->operands[0];
	const unsigned from = c->w->function->unit, index = targets_function(p, c->usr, from);
	const bool is_foreign = to->kind == EXPR_FUNCTION && to->value && index &&
				!targets_share(p, p->functions.items[index - 1].unit, from);

	return is_foreign ? 0 : index;
}

static unsigned call(struct audit_call *c)
{
	const unsigned index = called(c);
	const enum call_effect effect =
		c->usr ? call_effect_of(c->w->audit->options, c->name) : DOES_NOTHING;

	if (effect > DOES_SET_JUMP)
		return call_cxx(c, effect);
	if (effect == DOES_SUCCEED) {
		(void)call_other(c);
		return constant_zero(c->w);
	}
	if (effect != DOES_NOTHING)
		return call_known(c, effect);
	if (index)
		return call_own(c, index - 1, audit_facts_of(c->w->audit, index - 1));
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
	s->never |= e->value != 0;
	base_free(c.arguments);
	return result;
}
