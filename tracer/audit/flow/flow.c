/* Analyses one function: basic blocks to a fixed point, then one pass that records facts. */
#include "tracer/audit/flow/flow.h"

enum { WAYS_MOST = 8, ROUNDS_MOST = 4000, DEEPEST_CALL = 1000 };

/* States at the start of a basic block, one for each lockset. */
struct ways {
	ARRAY(struct state) states;
	bool is_new, is_head; /* is_head: head of a loop */
	enum { UNSEEN, OPEN, DONE } seen;
};

struct blocks {
	struct ways *ways;
	size_t count, rounds;
	ARRAY(unsigned) order; /* postorder */
};

/* ---- fixed point over the blocks ------------------------------------------------------------- */

static bool arrive_renamed(struct ways *ways, const struct state *s, struct terms *t,
			   unsigned number)
{
	STATE(renamed);

	state_copy(&renamed, s);
	array_each(struct state, known, &ways->states)
		if (state_rename_locks(known, &renamed, t, number)) {
			state_join(known, &renamed, t, number);
			return ways->is_new = true;
		}
	return false;
}

static void arrive(struct audit_flow *w, struct blocks *b, unsigned to, const struct state *s)
{
	struct ways *ways = &b->ways[to];
	struct terms *t = w->t;
	const unsigned number = w->audit->blocks + to;

	/* The states of loop heads are final in the recording pass. */
	if (s->never || (w->records && ways->is_head))
		return;
	array_each(struct state, known, &ways->states)
		if (state_holds_same(known, s)) {
			ways->is_new |= state_join(known, s, t, number);
			return;
		}
	if (arrive_renamed(ways, s, t, number))
		return;
	if (ways->states.count < WAYS_MOST) {
		state_copy(array_add(&ways->states), s);
		ways->is_new = true;
		return;
	}
	ways->is_new |= state_meet_locks(&ways->states.items[0], s);
	ways->is_new |= state_join(&ways->states.items[0], s, t, number);
}

static void flow_exit(struct audit_flow *w, struct state *s, const struct audit_block *block,
		      unsigned value)
{
	struct flow_exit *x;

	if (s->never)
		return;
	object_leave(w, s, value, block->at);
	if (state_is_zero(s, w->t, value) == 1)
		value = term_of(w->t, TERM_CONSTANT, 0, 0);
	lock_drop_unsure(s);
	x = array_add(&w->exits);
	x->value = value;
	x->signs = state_signs(s, w->t, value);
	x->at = block->at;
	x->held = lock_helds_keep(w, lock_helds_now(s));
	x->when = conditions_of(w, s);
	array_each(const struct state_event, e, &s->events)
		if (e->kind == STATE_OUT && term_kind(w->t, e->address) == TERM_PARAMETER)
			*array_add(&x->out) = *e;
}

/* The result of a try that was not tested leaves the function by two exits. */
static void flow_leave(struct audit_flow *w, struct state *s, const struct audit_block *block)
{
	const unsigned value = block->value ? evaluate(w, s, block->value) : 0;
	const struct term is = term_at(w->t, value);

	if (s->never || !w->records)
		return;
	if (is.kind == TERM_TRIED) {
		STATE(failed);

		state_copy(&failed, s);
		evaluate_known(w, &failed, value, tried_failed(is.b), block->at);
		evaluate_known(w, s, value, tried_done(is.b), block->at);
		flow_exit(w, &failed, block, value);
	}
	flow_exit(w, s, block, value);
}

static void go_either_way(struct audit_flow *w, struct blocks *b, struct state *s,
			  const struct audit_block *block)
{
	unsigned values[2];
	STATE(other);

	if (block->value)
		evaluate_condition(w, s, block->value, values);
	state_copy(&other, s);
	if (block->value) {
		evaluate_branch(w, s, block->value, values, true);
		evaluate_branch(w, &other, block->value, values, false);
	}
	arrive(w, b, block->to, s);
	arrive(w, b, block->otherwise, &other);
}

static void go_through(struct audit_flow *w, struct blocks *b, unsigned index, struct state *s)
{
	const struct audit_block *block = &w->function->blocks.items[index];

	w->now = s;
	w->block = index;
	array_each(struct audit_expr *const, step, &block->steps)
		if (!s->never)
			evaluate(w, s, *step);
	if (s->never)
		return;
	if (block->end == END_JUMP)
		arrive(w, b, block->to, s);
	else if (block->end == END_BRANCH)
		go_either_way(w, b, s, block);
	else if (block->end == END_RETURN)
		flow_leave(w, s, block);
}

static bool has_call(const struct audit_block *b)
{
	array_each(struct audit_expr *const, step, &b->steps)
		if (program_has_call(*step))
			return true;
	return false;
}

/* True if the block is the whole of what the branch decides: the other way leads to the same place,
   by nothing or by no call. */
static bool is_arm(const struct audit_function *f, const struct audit_block *branch, unsigned index)
{
	const unsigned next = f->blocks.items[index].to,
		       other = branch->to == index ? branch->otherwise : branch->to;
	const struct audit_block *way;

	if (branch->end != END_BRANCH || f->blocks.items[index].end != END_JUMP ||
	    (branch->to != index && branch->otherwise != index))
		return false;
	way = &f->blocks.items[other];
	return other == next || (way->end == END_JUMP && way->to == next && !has_call(way));
}

/* Marks the places that the condition tests; `bits` of them, if it is not 0. */
static void mark_flags(struct audit_flow *w, const struct audit_expr *e, unsigned bits)
{
	const unsigned place = e->kind == EXPR_MEMBER	? e->id + 1
			       : e->kind == EXPR_GLOBAL ? e->id + (unsigned)w->p->fields.count + 1
							: 0,
		       key = state_flag(place, bits);

	w->has_new_flags |= key && !number_map_get(&w->audit->flags, key);
	number_map_set(&w->audit->flags, key, 1);
	for (unsigned i = 0; i < e->count; i++) {
		const struct audit_expr *mask = e->kind == EXPR_BITS ? e->operands[1 - i] : NULL;

		if (!mask || mask->kind == EXPR_CONSTANT)
			mark_flags(w, e->operands[i], mask ? (unsigned)mask->value : 0);
	}
}

/* The block takes or releases a lock: what alone decides that is a flag. */
static void note_flags(struct audit_flow *w, unsigned index)
{
	array_each(const struct audit_block, branch, &w->function->blocks)
		if (is_arm(w->function, branch, index) && branch->value)
			mark_flags(w, branch->value, 0);
}

/* Evaluates the block from each of its states, whose number may grow meanwhile. */
static void go_through_all(struct audit_flow *w, struct blocks *b, unsigned index)
{
	for (size_t i = 0; i < b->ways[index].states.count; i++) {
		STATE(s);

		state_copy(&s, &b->ways[index].states.items[i]);
		go_through(w, b, index, &s);
		if (!state_holds_same(&s, &b->ways[index].states.items[i]))
			note_flags(w, index);
	}
	w->now = NULL;
}

static void flow_enter(struct audit_flow *w, struct blocks *b)
{
	STATE(s);

	state_init(&s, (unsigned)w->function->locals.count);
	for (unsigned i = 0; i < w->function->parameters; i++)
		s.values[i] = term_of(w->t, TERM_PARAMETER, i, 0);
	arrive(w, b, 0, &s);
}

static void flow_settle(struct audit_flow *w, struct blocks *b)
{
	bool any = true;

	while (any && b->rounds < ROUNDS_MOST) {
		any = false;
		for (unsigned i = 0; i < b->count; i++)
			if (b->ways[i].is_new) {
				b->ways[i].is_new = false;
				b->rounds++;
				any = true;
				go_through_all(w, b, i);
			}
	}
}

/* Depth-first search. An edge to an open block is a back edge and marks a loop head. */
static void find_order(const struct audit_function *f, struct blocks *b, unsigned index)
{
	const struct audit_block *block = &f->blocks.items[index];
	const unsigned next[] = {block->to, block->otherwise};
	unsigned count = block->end == END_JUMP ? 1 : block->end == END_BRANCH ? 2 : 0;

	b->ways[index].seen = OPEN;
	for (unsigned i = 0; i < count; i++)
		if (b->ways[next[i]].seen == OPEN)
			b->ways[next[i]].is_head = true;
		else if (b->ways[next[i]].seen == UNSEEN)
			find_order(f, b, next[i]);
	b->ways[index].seen = DONE;
	*array_add(&b->order) = index;
}

static void clear(struct ways *ways)
{
	array_each(struct state, s, &ways->states)
		state_fini(s);
	array_fini(&ways->states);
}

/* Recording pass from the final states of the loop heads; intermediate states of other blocks are
   dropped. */
static void record(struct audit_flow *w, struct blocks *b)
{
	find_order(w->function, b, 0);
	for (size_t i = 1; i < b->count; i++)
		if (!b->ways[i].is_head)
			clear(&b->ways[i]);
	w->records = true;
	for (size_t i = b->order.count; i > 0; i--)
		go_through_all(w, b, b->order.items[i - 1]);
}

static void blocks_fini(struct blocks *b)
{
	for (size_t i = 0; i < b->count; i++)
		clear(&b->ways[i]);
	base_free(b->ways);
	array_fini(&b->order);
}

/* ---- the facts ------------------------------------------------------------------------------- */

/* True if the address is part of an object that the function initializes or destroys. */
static bool is_made(const struct audit_flow *w, unsigned address)
{
	const unsigned object = term_object(w->t, address);

	while (!object_is_made(w, address) && address != object)
		address = term_at(w->t, address).a;
	return object_is_made(w, address);
}

static bool is_held(const struct audit_access *a)
{
	for (unsigned i = 0; i < a->held.count; i++)
		if (a->held.items[i].mode != HELD_LEFT)
			return true;
	return false;
}

/* True if threads that the function joins later may still run, as when it sets the flag that stops
   them. */
static bool is_beside_joined(const struct audit_flow *w, const struct audit_access *a)
{
	return w->facts->joins_threads && !(a->flags & ACCESS_LATE) &&
	       !(w->facts->makes_threads && a->flags & ACCESS_ALONE);
}

/* Drops accesses without a lock to objects that the function initializes or destroys. */
static void keep_accesses(struct audit_flow *w)
{
	struct audit_facts *f = w->facts;
	size_t kept = 0;

	for (size_t i = 0; i < f->accesses.count; i++)
		if (!is_made(w, f->accesses.items[i]->address) || is_held(f->accesses.items[i]) ||
		    is_beside_joined(w, f->accesses.items[i]))
			f->accesses.items[kept++] = f->accesses.items[i];
	f->accesses.count = kept;
}

/* Marks accesses before the start of the object's own thread, which shares the object from then
   on. */
static void mark_before(struct audit_flow *w)
{
	array_each(const struct audit_deed, d, &w->facts->deeds)
		array_each(struct audit_access *const, access, &w->facts->accesses)
			if (d->kind == DEED_BEGUN &&
			    ((*access)->flags & (ACCESS_LATE | ACCESS_ALONE)) == ACCESS_ALONE &&
			    term_contains(w->t, (*access)->address, d->object))
				(*access)->flags |= ACCESS_BEFORE;
}

static const struct audit_held *held_in(const struct audit_access *a, unsigned lock)
{
	for (unsigned i = 0; i < a->held.count; i++)
		if (a->held.items[i].lock == lock && a->held.items[i].mode != HELD_LEFT)
			return &a->held.items[i];
	return NULL;
}

/* True if the function takes the lock other than by a try, whose failure is a path without it. */
static bool is_acquired(const struct audit_facts *f, unsigned lock)
{
	array_each(const struct audit_acquisition *const, taken, &f->acquisitions)
		if ((*taken)->lock == lock)
			return true;
	return false;
}

static bool is_released_before(const struct audit_flow *w, const struct audit_access *a,
			       unsigned lock)
{
	array_each(const struct flow_release, r, &w->released)
		if (r->lock == lock &&
		    (r->block == a->block || flow_reaches(w->function, r->block, a->block)))
			return true;
	return false;
}

/* True if one path makes the access with a lock that the other path takes nowhere before. */
static bool is_locked_if(const struct audit_flow *w, const struct audit_access *with,
			 const struct audit_access *without)
{
	if (with->inner != without->inner || with->address != without->address ||
	    !place_same(with->at, without->at) || conditions_differ(&with->when, &without->when))
		return false;
	for (unsigned i = 0; i < with->held.count; i++) {
		const struct audit_held *h = &with->held.items[i];

		if (h->mode == HELD_ALONE && !held_in(without, h->lock) &&
		    is_acquired(w->facts, h->lock) && !is_released_before(w, without, h->lock))
			return true;
	}
	return false;
}

static void mark_asked(struct audit_flow *w)
{
	const struct audit_facts *f = w->facts;
	struct number_map of_address = {0}; /* indexes + 1 */
	unsigned i;

	if (!f->acquisitions.count)
		return;
	for (i = 0; i < f->accesses.count; i++)
		number_map_add(&of_address, f->accesses.items[i]->address, i + 1);
	array_each(struct audit_access *const, with, &f->accesses)
		for (size_t at = 0; (*with)->held.count &&
				    (i = number_map_next(&of_address, (*with)->address, &at));)
			if (is_locked_if(w, *with, f->accesses.items[i - 1]))
				f->accesses.items[i - 1]->flags |= ACCESS_ASKED;
	number_map_fini(&of_address);
}

/* Sets the result if it is one value on all paths, apart from NULL. */
static void find_result(struct audit_flow *w)
{
	unsigned result = 0;
	bool zero = false;

	array_each(const struct flow_exit, x, &w->exits) {
		const struct term is = term_at(w->t, x->value);

		if (is.kind == TERM_CONSTANT && !is.a) {
			zero = true;
			continue;
		}
		if (result && result != x->value &&
		    (is.kind != TERM_FRESH || term_kind(w->t, result) != TERM_FRESH))
			return;
		result = x->value;
	}
	switch (term_kind(w->t, result)) {
	case TERM_UNKNOWN:
		if (zero)
			w->facts->result = term_of(w->t, TERM_CONSTANT, 0, 0);
		return;
	case TERM_LOCAL:
	case TERM_JOIN:
	case TERM_SITE:
	case TERM_TRIED:
		return;
	case TERM_CONSTANT:
	case TERM_DERIVED:
	case TERM_BITS:
		w->facts->result = zero ? 0 : result;
		return;
	default:
		w->facts->result = result;
	}
}

static void find_written(struct audit_flow *w)
{
	struct number_map known = {0};

	array_each(struct audit_access *const, access, &w->facts->accesses) {
		const unsigned address = (*access)->address;

		if (!((*access)->flags & ACCESS_WRITES) || number_map_get(&known, address))
			continue;
		number_map_set(&known, address, 1);
		*array_add(&w->facts->written) = address;
	}
	number_map_fini(&known);
}

/* Sets the conditions without which the function does not return, as one that ends the program. */
static void find_returns(struct audit_flow *w)
{
	enum { RETURNS_MOST = 4 };

	array_each(const struct flow_exit, x, &w->exits) {
		bool is_known = false;

		array_each(const struct audit_conditions, known, &w->facts->returns)
			is_known |= conditions_same(known, &x->when);
		if (is_known)
			continue;
		if (!x->when.items[0].parameter || w->facts->returns.count == RETURNS_MOST) {
			w->facts->returns.count = 0;
			return;
		}
		*array_add(&w->facts->returns) = x->when;
	}
}

static void analyse_blocks(struct audit_flow *w)
{
	struct blocks b = {.count = w->function->blocks.count};

	b.ways = base_alloc(b.count, sizeof(*b.ways));
	/* A new flag's value was forgotten before it was known to be a flag. */
	do {
		for (size_t i = 0; i < b.count; i++)
			clear(&b.ways[i]);
		b.rounds = 0;
		w->has_new_flags = false;
		flow_enter(w, &b);
		flow_settle(w, &b);
	} while (w->has_new_flags);
	record(w, &b);
	keep_accesses(w);
	mark_before(w);
	mark_asked(w);
	find_written(w);
	exits_effects(w);
	find_result(w);
	find_returns(w);
	w->facts->never_returns = !w->exits.count;
	w->audit->blocks += (unsigned)b.count;
	blocks_fini(&b);
}

static void flow_fini(struct audit_flow *w)
{
	array_each(struct flow_exit, x, &w->exits)
		array_fini(&x->out);
	number_map_fini(&w->known);
	number_map_fini(&w->acquired);
	number_map_fini(&w->made);
	number_map_fini(&w->twice);
	number_map_fini(&w->takers);
	number_map_fini(&w->kept);
	array_fini(&w->released);
	array_fini(&w->exits);
	array_fini(&w->fresh);
	array_fini(&w->counts);
}

const struct audit_facts *audit_facts_of(struct audit *a, unsigned function)
{
	static const struct audit_facts unknown = {.progress = FACTS_BEGUN};
	struct audit_facts *f = &a->facts[function];
	struct audit_flow w = {.audit = a,
			       .t = &a->terms,
			       .p = a->program,
			       .function = &a->program->functions.items[function],
			       .index = function,
			       .facts = f};

	if (f->progress != FACTS_NONE)
		return f;
	/* The function is analysed later; this caller knows nothing of it. */
	if (a->depth >= DEEPEST_CALL)
		return &unknown;
	a->depth++;
	f->progress = FACTS_BEGUN;
	if (w.function->blocks.count)
		analyse_blocks(&w);
	flow_fini(&w);
	f->progress = FACTS_DONE;
	a->depth--;
	return f;
}
