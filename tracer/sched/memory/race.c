/* Describes a race in terms of the source, while the second thread is stopped before its access:
   its calls and variables can be read. The first thread has gone on since. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/threads/threads.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/source/types/types.h"

#include <string.h>

enum { MOST_CALLS = 32 };

struct telling {
	struct scheduler *c;
	struct sched_thread *t; /* the second thread */
	struct inspect_stack calls;
	size_t own; /* index of the user's own call; calls.count: none */
	struct sched_race *race;
};

/* ---- threads and places ------------------------------------------------------------------ */

static char *thread_name(const struct scheduler *c, unsigned number)
{
	run_each_thread(t, c->run) {
		const struct sched_thread *turn = sched_thread_of(t);

		if (turn->path && turn->number == number)
			return base_strdup(run_thread_id(t));
	}
	return NULL;
}

static struct sched_access *access_at(const struct telling *x, const struct races_side *side)
{
	struct sched *g = x->c->given;

	return &g->accesses.items[g->callers.places.items[side->place].access];
}

static void memory_race_place(const struct telling *x, const struct races_side *from,
			      struct sched_race_side *side)
{
	const struct sched_access *access = access_at(x, from);
	const struct sched_caller *caller = callers_at(x->c->given, from->place);
	struct source_symbolised where;

	side->writes = from->writes;
	side->updates = from->writes && access->what.reads;
	side->frees = access->frees;
	side->thread = thread_name(x->c, from->thread);
	if (caller) {
		side->file = base_strdup(caller->file);
		side->line = caller->line;
		side->func = caller->func ? base_strdup(caller->func) : NULL;
		return;
	}
	if (!source_symbolise(access->module, access->offset, true, &where))
		return;
	side->file = where.file ? base_strdup(where.file) : NULL;
	side->line = where.line;
	side->func = where.function ? base_strdup(where.function) : NULL;
	source_symbolised_fini(&where);
}

/* Replaces the place in a system header by the place of its caller. */
static void place_own(const struct telling *x, struct sched_race_side *side)
{
	const struct inspect_call *own = x->own < x->calls.count ? &x->calls.items[x->own] : NULL;

	if (!own || !own->file || (side->file && strcmp(side->file, own->file) == 0))
		return;
	base_free(side->file);
	base_free(side->func);
	side->file = base_strdup(own->file);
	side->line = own->line;
	side->func = own->function ? base_strdup(own->function) : NULL;
}

static char *lock_names(const struct telling *x, const struct races_side *from)
{
	const struct type *type;
	struct str out = {0};

	for (size_t i = 0; i < from->lock_count; i++) {
		size_t length = out.length;

		str_add(&out, i ? ", " : "");
		if (!race_name(x->t, &x->calls, x->own, from->locks[i], &out, &type))
			str_addf(&out, "%s0x%llx", i && out.length == length ? ", " : "",
				 (unsigned long long)from->locks[i]);
	}
	return out.length ? str_take(&out) : NULL;
}

/* ---- values ------------------------------------------------------------------------------ */

static char *value_text(const struct sched_thread *t, const struct type *type, const void *bytes,
			uint64_t size)
{
	struct inspect_value v = {.program = run_process_program(run_process_of(t->thread)),
				  .type = type,
				  .place = INSPECT_IN_BYTES,
				  .reg = INSPECT_NO_REGISTER,
				  .size = (uint16_t)size};
	struct str out = {0};

	memcpy(v.bytes, bytes, size);
	memset(v.kept, 0xff, sizeof(v.kept));
	inspect_describe(&v, &out);
	return str_take(&out);
}

static char *value_now(const struct sched_thread *t, const struct type *type, uint64_t address)
{
	uint64_t value;

	if (!type || type->size > sizeof(value) || !type->size ||
	    run_thread_read(t->thread, address, &value, type->size) < 0)
		return NULL;
	return value_text(t, type, &value, type->size);
}

static void tell_values(const struct telling *x, const struct arch_access *a,
			const struct type *type)
{
	const struct overwritten *w = &x->c->written[(a->address >> 2) % WRITTEN];
	struct sched_thread *t = x->t;

	if (!type || type->size != a->size || x->race->sides[0].frees)
		return;
	x->race->between = value_now(t, type, a->address);
	if (x->race->between && x->race->sides[0].writes && w->address == a->address)
		x->race->before = value_text(t, type, &w->value, type->size);
	if (!x->race->sides[1].writes)
		return;
	t->raced_count = t->raced && t->raced_at == a->address ? t->raced_count + 1 : 1;
	t->raced = x->c->given->reported.count;
	t->raced_at = a->address;
	t->raced_type = type;
}

void race_made(struct scheduler *c, struct sched_thread *t)
{
	for (size_t i = 0; t->raced && i < t->raced_count; i++) {
		size_t at = t->raced - 1 - i;

		if (at < c->given->reported.count && t->thread)
			c->given->reported.items[at].after =
				value_now(t, t->raced_type, t->raced_at);
	}
	t->raced = 0;
}

/* ---- atomic variables -------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *with)
{
	return text && strncmp(text, with, strlen(with)) == 0;
}

/* Functions of the C++ and Rust libraries whose accesses are all atomic. */
static bool is_atomic_function(const char *name)
{
	return begins_with(name, "core::sync::atomic::") ||
	       begins_with(name, "<core::sync::atomic::") || begins_with(name, "std::atomic") ||
	       begins_with(name, "std::__atomic") || begins_with(name, "std::_Sp_counted_base");
}

static bool is_made_in_library(const struct telling *x, const struct races_side *side)
{
	const struct sched_access *access = access_at(x, side);

	return is_atomic_function(source_innermost(access->module, access->offset));
}

static bool is_first_atomic(const struct telling *x, uint64_t address)
{
	const struct sched_race_side *first = &x->race->sides[0];
	const struct race_statement statement = {
		.symbols = run_symbols(x->c->run),
		.file = first->file,
		.line = first->file ? source_line(run_symbols(x->c->run), first->file, first->line)
				    : NULL,
		.variable = x->race->variable,
		.address = address,
		.writes = first->writes,
	};

	return race_is_written_atomic(&statement);
}

/* Examines the user's statement and the code of headers that it calls. */
static bool is_second_atomic(const struct telling *x, uint64_t address)
{
	struct race_statement statement = {.symbols = run_symbols(x->c->run),
					   .variable = x->race->variable,
					   .address = address,
					   .writes = x->race->sides[1].writes};

	for (size_t i = 0; i < x->calls.count && i <= x->own; i++) {
		const struct inspect_call *call = &x->calls.items[i];

		statement.call = call;
		statement.file = call->file;
		statement.line =
			call->file ? source_line(run_symbols(x->c->run), call->file, call->line)
				   : NULL;
		if (is_atomic_function(call->function) || race_is_written_atomic(&statement))
			return true;
	}
	return false;
}

/* Takes effect in the next run: points do not change during a run, or it could not be replayed. */
static void make_atomic(struct sched *g, const struct sched_access *access)
{
	const struct sched_chosen chosen = {.module = (char *)module_name(access->module),
					    .offset = access->offset,
					    .atomic = true};

	if (!access->what.atomic && !access->frees)
		sched_choose(g, &chosen);
}

/* clang's atomic_flag is a struct with one atomic member. */
static bool is_atomic_type(const struct type *type)
{
	ERROR(ignored);

	if (!type)
		return false;
	if (type->flags & TYPE_ATOMIC || begins_with(type_full_name(type), "std::atomic"))
		return true;
	return type->kind == TYPE_STRUCT && type_members(type, &ignored) == 0 &&
	       type->members.count == 1 && type->members.items[0].type &&
	       type->members.items[0].type->flags & TYPE_ATOMIC;
}

/* Marks atomic accesses: atomic loads and stores are plain instructions that only the source
   distinguishes. */
static void find_atomic(const struct telling *x, const struct races_pair *pair, uint64_t address,
			const struct type *type)
{
	bool is_typed = is_atomic_type(type);

	if (is_typed || is_made_in_library(x, &pair->first) || is_first_atomic(x, address))
		make_atomic(x->c->given, access_at(x, &pair->first));
	if (is_typed || is_made_in_library(x, &pair->second) || is_second_atomic(x, address))
		make_atomic(x->c->given, access_at(x, &pair->second));
}

/* ---- description ------------------------------------------------------------------------- */

static void race_tell(struct telling *x, const struct arch_access *a, const struct races_pair *pair)
{
	const struct type *type = NULL;
	STR(name);

	memory_race_place(x, &pair->first, &x->race->sides[0]);
	memory_race_place(x, &pair->second, &x->race->sides[1]);
	place_own(x, &x->race->sides[1]);
	x->race->sides[0].locks = lock_names(x, &pair->first);
	x->race->sides[1].locks = lock_names(x, &pair->second);
	if (race_name(x->t, &x->calls, x->own, a->address, &name, &type))
		x->race->variable = str_take(&name);
	tell_values(x, a, type);
	find_atomic(x, pair, a->address, type);
}

/* Returns the index of the user's own call. The function that frees may be linked into the
   program. */
static size_t own_call(const struct telling *x, const struct sched_access *access)
{
	struct inspect_stack calls = x->calls;
	const struct inspect_call *own;
	size_t first = 0;

	for (size_t i = 0; access->frees && !first && i < calls.count; i++) {
		const struct dwarf_frame *f = &calls.items[i].frame;

		if (f->module == access->module && f->lookup_pc - f->bias == access->offset)
			first = i;
	}
	calls.items += first;
	calls.count -= first;
	own = describe_own(x->t, &calls);
	if (own)
		return (size_t)(own - x->calls.items);
	return first ? first : x->calls.count;
}

void race_told(struct scheduler *c, struct sched_thread *t, const struct arch_access *a,
	       const struct races_pair *pair)
{
	struct telling x = {.c = c, .t = t, .race = array_add(&c->given->reported)};

	*x.race = (struct sched_race){.size = a->size};
	if (calls_read(t->thread, 0, MOST_CALLS, &x.calls) < 0)
		x.calls.count = 0;
	x.own = own_call(&x, access_at(&x, &pair->second));
	race_tell(&x, a, pair);
	inspect_stack_fini(&x.calls);
}
