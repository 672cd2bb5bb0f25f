/* Locks that a program makes of atomics and semaphores. A place is a lock if a loop ends when a
   constant was exchanged into it, and 0 is stored there somewhere; or if it is a semaphore that
   begins with 1 and is both waited for and posted. */
#include "tracer/audit/frontend/program.h"

#include "tracer/base/hash.h"

#include <string.h>

enum { ROUNDS = 4 };

/* Uses of a place, as bits; OWN_LOCK is the result. */
enum own_use { OWN_TAKEN = 1, OWN_FREED = 2, OWN_BEGINS = 4, OWN_LOCK = 8 };
enum { OWN_SEMAPHORE = OWN_TAKEN | OWN_FREED | OWN_BEGINS };

struct own_locks {
	struct audit_program *p;
	struct number_map uses;		  /* places: enum own_use */
	struct number_map semaphores;	  /* places that are semaphores */
	const struct audit_function *now; /* the function that is read */
};

unsigned program_parameter(unsigned function, unsigned parameter)
{
	return number_map_key(hash_word(hash_word(HASH_START, function), parameter)) | 1U << 31;
}

/* ---- places ---------------------------------------------------------------------------------- */

static unsigned own_place(const struct own_locks *o, const struct audit_expr *address);

/* Field + 1 of the object, that of a variable, or a parameter; 0 for others. */
static unsigned place_of_object(const struct own_locks *o, const struct audit_expr *e)
{
	const struct audit_global *g;

	switch (e->kind) {
	case EXPR_MEMBER:
		/* The atomic_flag itself, not what the system has in it. */
		if (o->p->records.items[o->p->fields.items[e->id].record].is_system)
			return e->is_arrow ? own_place(o, e->operands[0])
					   : place_of_object(o, e->operands[0]);
		return e->id + 1;
	case EXPR_GLOBAL:
		g = program_global(o->p, e->id);
		return g ? g->variable : 0;
	case EXPR_DEREF:
		return own_place(o, e->operands[0]);
	default:
		return 0;
	}
}

static unsigned own_place(const struct own_locks *o, const struct audit_expr *address)
{
	if (address->kind == EXPR_ADDRESS)
		return place_of_object(o, address->operands[0]);
	if (address->kind == EXPR_LOCAL && address->id < o->now->parameters)
		return program_parameter(o->now->usr, address->id);
	return 0;
}

static void add_use(struct own_locks *o, unsigned place, unsigned use)
{
	if (place)
		number_map_set(&o->uses, place, number_map_get(&o->uses, place) | use);
}

/* ---- uses ------------------------------------------------------------------------------------ */

static bool is_constant(const struct audit_expr *e, bool zero)
{
	return e->kind == EXPR_CONSTANT && !e->value == zero;
}

/* True for an exchange by a constant that is not 0, or test-and-set. */
static bool exchanges_in(const struct audit_expr *e)
{
	enum { DESIRED = 4 }; /* of a compare-and-exchange whose orders are operands, too */

	return e->kind == EXPR_ATOMIC && e->id == ATOMIC_EXCHANGE && e->count &&
	       (e->count == 1 ||
		is_constant(e->operands[e->count > DESIRED ? DESIRED : e->count - 1], false));
}

/* True for a store of 0. */
static bool frees(const struct audit_expr *e)
{
	if (e->kind == EXPR_ASSIGN)
		return !e->is_update && is_constant(e->operands[1], true);
	return e->kind == EXPR_ATOMIC && e->id == ATOMIC_STORE && e->count &&
	       (e->count <= 2 || is_constant(e->operands[e->count - 1], true));
}

static const char *called_name(const struct own_locks *o, const struct audit_expr *e)
{
	const char *usr = e->kind == EXPR_CALL && e->operands[0]->kind == EXPR_FUNCTION
				  ? program_text(o->p, e->operands[0]->id)
				  : "";

	return strncmp(usr, "c:@F@", 5) == 0 ? usr + 5 : "";
}

static void note_semaphore(struct own_locks *o, const struct audit_expr *e)
{
	const char *name = called_name(o, e);
	const unsigned place = e->count > 1 ? own_place(o, e->operands[1]) : 0;

	if (strncmp(name, "sem_", 4) != 0)
		return;
	if (strcmp(name, "sem_wait") == 0)
		add_use(o, place, OWN_TAKEN);
	else if (strcmp(name, "sem_post") == 0)
		add_use(o, place, OWN_FREED);
	else if (strcmp(name, "sem_init") == 0 && e->count > 3)
		add_use(o, place,
			is_constant(e->operands[3], false) && e->operands[3]->value == 1
				? OWN_BEGINS
				: 0);
	if (place)
		number_map_set(&o->semaphores, place, 1);
}

/* A wrapper's parameter and what callers pass are one place. */
static void note_arguments(struct own_locks *o, const struct audit_expr *e)
{
	if (e->kind != EXPR_CALL || e->operands[0]->kind != EXPR_FUNCTION)
		return;
	for (unsigned i = 1; i < e->count; i++) {
		const unsigned inner = program_parameter(e->operands[0]->id, i - 1),
			       outer = own_place(o, e->operands[i]);

		if (!outer)
			continue;
		add_use(o, outer, number_map_get(&o->uses, inner) & ~(unsigned)OWN_LOCK);
		if (number_map_get(&o->semaphores, inner))
			number_map_set(&o->semaphores, outer, 1);
		if (number_map_get(&o->uses, outer) & OWN_LOCK)
			add_use(o, inner, OWN_LOCK);
	}
}

static void walk(struct own_locks *o, const struct audit_expr *e, bool is_loop)
{
	for (unsigned i = 0; i < e->count; i++)
		walk(o, e->operands[i], is_loop);
	if (is_loop && exchanges_in(e))
		add_use(o, own_place(o, e->operands[0]), OWN_TAKEN);
	if (frees(e))
		add_use(o,
			e->kind == EXPR_ASSIGN ? place_of_object(o, e->operands[0])
					       : own_place(o, e->operands[0]),
			OWN_FREED);
	note_semaphore(o, e);
	note_arguments(o, e);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool block_leads_to(const struct audit_function *f, unsigned from, unsigned to, bool *seen)
{
	const struct audit_block *b = &f->blocks.items[from];

	if (from == to)
		return true;
	if (seen[from])
		return false;
	seen[from] = true;
	return (b->end == END_JUMP && block_leads_to(f, b->to, to, seen)) ||
	       (b->end == END_BRANCH &&
		(block_leads_to(f, b->to, to, seen) || block_leads_to(f, b->otherwise, to, seen)));
}

static bool leads_back(const struct audit_function *f, unsigned from, unsigned to)
{
	bool *seen = base_alloc(f->blocks.count + 1, sizeof(*seen)),
	     is = block_leads_to(f, from, to, seen);

	base_free(seen);
	return is;
}

static bool has_exchange(const struct audit_expr *e)
{
	for (unsigned i = 0; i < e->count; i++)
		if (has_exchange(e->operands[i]))
			return true;
	return exchanges_in(e);
}

/* True if the condition of the block ends a loop. */
static bool ends_loop(const struct audit_function *f, unsigned index)
{
	const struct audit_block *b = &f->blocks.items[index];

	return b->value && has_exchange(b->value) &&
	       leads_back(f, b->to, index) != leads_back(f, b->otherwise, index);
}

static void find_uses(struct own_locks *o, const struct audit_function *f)
{
	o->now = f;
	for (unsigned i = 0; i < f->blocks.count; i++) {
		const struct audit_block *b = &f->blocks.items[i];

		array_each(struct audit_expr *const, step, &b->steps)
			walk(o, *step, false);
		if (b->value)
			walk(o, b->value, b->end == END_BRANCH && ends_loop(f, i));
	}
}

/* ---- results --------------------------------------------------------------------------------- */

static void mark_field(struct audit_program *p, struct audit_field *f)
{
	f->lock = true;
	p->records.items[f->record].has_lock = true;
}

/* Fields of structs that are nothing but locks are locks. */
static void mark_wrappers(struct audit_program *p)
{
	array_each(struct audit_field, f, &p->fields) {
		bool is_lock = f->type && !f->lock;

		if (is_lock)
			array_each(const unsigned, inner, &p->records.items[f->type - 1].fields)
				is_lock &= p->fields.items[*inner].lock;
		if (is_lock && p->records.items[f->type - 1].fields.count)
			mark_field(p, f);
	}
}

static void find_locks(struct own_locks *o)
{
	struct audit_program *p = o->p;

	for (unsigned i = 0; i < p->fields.count; i++) {
		const unsigned use = number_map_get(&o->uses, i + 1);
		const unsigned wanted = number_map_get(&o->semaphores, i + 1)
						? (unsigned)OWN_SEMAPHORE
						: OWN_TAKEN | OWN_FREED;

		if ((use & wanted) != wanted || p->fields.items[i].lock)
			continue;
		add_use(o, i + 1, OWN_LOCK);
		mark_field(p, &p->fields.items[i]);
	}
	mark_wrappers(p);
}

static void keep_parameters(struct own_locks *o)
{
	array_each(const struct audit_function, f, &o->p->functions)
		for (unsigned i = 0; i < f->parameters; i++) {
			const unsigned place = program_parameter(f->usr, i);

			if (number_map_get(&o->uses, place) & OWN_LOCK)
				number_map_set(&o->p->lock_parameters, place, 1);
		}
}

void program_find_own_locks(struct audit_program *p)
{
	struct own_locks o = {.p = p};

	for (int round = 0; round < 2 * ROUNDS; round++) {
		array_each(const struct audit_function, f, &p->functions)
			find_uses(&o, f);
		if (round >= ROUNDS - 1)
			find_locks(&o);
	}
	keep_parameters(&o);
	number_map_fini(&o.uses);
	number_map_fini(&o.semaphores);
}
