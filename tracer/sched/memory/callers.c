/* Finds the user's own code that an access in library code works for, and records who frees
   memory. */
#include "tracer/sched/memory/callers.h"
#include "tracer/base/files/path.h"
#include "tracer/run/threads/threads.h"
#include "tracer/sched/sched_internal.h"
#include "tracer/source/names/names.h"

#include <string.h>

enum { MOST_CALLS = 32, FREED = 1024 };

/* ---- places ------------------------------------------------------------------------------ */

static bool finds_callers(const struct sched *g)
{
	return g->flags & (SCHED_CALLERS | SCHED_JUDGES);
}

/* True for code of the system's libraries and of their headers. */
static bool is_library(const struct sched_thread *t, const struct sched_access *a)
{
	struct source_symbolised is = {0};
	bool library;

	source_symbolise(a->module, a->offset, true, &is);
	library = (is.file ? path_is_system_source(is.file)
			   : path_is_system_object(module_path(a->module))) ||
		  scheduler_is_runtime(run_process_of(t->thread), a->address);
	source_symbolised_fini(&is);
	return library;
}

/* Returns the index + 1 of the caller, which is added if it is new. */
static unsigned caller_at(struct sched_callers *callers, const struct inspect_call *own)
{
	const struct sched_caller new = {.module = own->frame.module,
					 .offset = own->frame.lookup_pc - own->frame.bias,
					 .line = own->line};

	for (size_t i = 0; i < callers->known.count; i++) {
		const struct sched_caller *k = &callers->known.items[i];

		if (k->module == new.module && k->offset == new.offset && k->line == new.line)
			return (unsigned)i + 1;
	}
	*array_add(&callers->known) = new;
	callers->known.items[callers->known.count - 1].file = base_strdup(own->file);
	if (own->function)
		callers->known.items[callers->known.count - 1].func = base_strdup(own->function);
	return (unsigned)callers->known.count;
}

static unsigned caller_of(struct scheduler *c, struct sched_thread *t)
{
	struct inspect_stack calls = {0};
	const struct inspect_call *own;
	unsigned caller = 0;

	if (calls_read(t->thread, 0, MOST_CALLS, &calls) == 0) {
		own = describe_own(t, &calls);
		caller = own ? caller_at(&c->given->callers, own) : 0;
	}
	inspect_stack_fini(&calls);
	return caller;
}

unsigned callers_place(struct scheduler *c, struct sched_thread *t, unsigned access)
{
	struct sched_callers *callers = &c->given->callers;
	struct sched_access *a = &c->given->accesses.items[access];
	unsigned caller = 0;

	if (finds_callers(c->given)) {
		if (a->owner == CODE_UNKNOWN)
			a->owner = is_library(t, a) ? CODE_LIBRARY : CODE_OWN;
		if (a->owner == CODE_LIBRARY)
			caller = caller_of(c, t);
	}
	for (unsigned at = a->places; at; at = callers->places.items[at - 1].next)
		if (callers->places.items[at - 1].caller == caller)
			return at - 1;
	*array_add(&callers->places) = (struct sched_race_place){access, caller, a->places};
	a->places = (unsigned)callers->places.count;
	return a->places - 1;
}

const struct sched_caller *callers_at(const struct sched *g, unsigned place)
{
	unsigned caller = g->callers.places.items[place].caller;

	return caller ? &g->callers.known.items[caller - 1] : NULL;
}

void callers_fini(struct sched_callers *callers)
{
	array_each(struct sched_caller, k, &callers->known) {
		base_free(k->file);
		base_free(k->func);
	}
	array_fini(&callers->known);
	array_fini(&callers->places);
	array_fini(&callers->freed);
	base_free(callers->who_freed);
	callers->who_freed = NULL;
}

/* ---- freed memory ------------------------------------------------------------------------ */

void callers_note_freed(struct scheduler *c, struct sched_thread *t, uint64_t block, uint64_t size,
			unsigned access)
{
	struct sched_callers *callers = &c->given->callers;

	if (c->threads.count < 2)
		return;
	if (callers->freed.count < FREED)
		array_add(&callers->freed);
	callers->freed.items[callers->freed_count++ % FREED] =
		(struct sched_freed){run_process_of(t->thread), block, size,
				     callers_place(c, t, access), run_thread_id(t->thread)};
}

const struct sched_freed *sched_freed_at(const struct run *s, const struct run_process *p,
					 uint64_t address)
{
	const struct scheduler *c = scheduler_of(s);
	const struct sched_callers *callers = c ? &c->given->callers : NULL;

	for (size_t i = callers ? callers->freed.count : 0; i-- > 0;) {
		size_t at = callers->freed_count - callers->freed.count + i;
		const struct sched_freed *f = &callers->freed.items[at % FREED];

		if (f->process == p && address - f->block < f->size)
			return f;
	}
	return NULL;
}

const char *sched_who_freed(const struct run *s, const struct sched_freed *freed)
{
	struct sched *g = scheduler_of(s)->given;
	const struct sched_caller *caller = callers_at(g, freed->place);
	const struct sched_access *a =
		&g->accesses.items[g->callers.places.items[freed->place].access];
	struct source_symbolised own = {0};
	const char *func = caller ? caller->func : NULL, *file = caller ? caller->file : NULL;
	unsigned line = caller ? caller->line : 0;
	STR(text);

	if (!caller && source_symbolise(a->module, a->offset, true, &own)) {
		func = source_innermost(a->module, a->offset);
		file = own.file;
		line = own.line;
	}
	str_addf(&text, "%s freed it", freed->thread);
	if (func) {
		str_add(&text, " in ");
		names_brief(func, CALLS_NAME, &text);
	}
	if (file && line)
		str_addf(&text, " at %s:%u", str_base_name(file), line);
	source_symbolised_fini(&own);
	base_free(g->callers.who_freed);
	g->callers.who_freed = str_take(&text);
	return g->callers.who_freed;
}
