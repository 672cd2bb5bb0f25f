/* Finds entries, functions that are called from outside, and collects their accesses. */
#include "tracer/audit/checks/checks.h"

#include "tracer/base/number_map.h"
#include "tracer/base/table.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *entries_name(const struct audit *a, unsigned function)
{
	return program_text(a->program, a->program->functions.items[function].name);
}

bool entries_wants_lock(const struct audit *a, unsigned function)
{
	static const char *const words[] = {"locked",  "unlocked", "nolock",
					    "no_lock", "unsafe",   "internal"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(entries_name(a, function), words[i]))
			return true;
	return false;
}

/* Length of the word of the name that begins here: up to an underscore, a digit or a change from
   lower to upper case. */
static size_t word_length(const char *name)
{
	size_t n = 1;

	while (isalpha((unsigned char)name[n]) &&
	       !(islower((unsigned char)name[n - 1]) && isupper((unsigned char)name[n])))
		n++;
	return n;
}

bool entries_makes_or_ends(const struct audit *a, unsigned function)
{
	static const char *const words[] = {
		"init",	   "ini",	"initialize", "initialise", "setup",   "new",
		"create",  "construct", "alloc",      "allocate",   "fini",    "finalize",
		"deinit",  "uninit",	"teardown",   "terminate",  "cleanup", "clean",
		"exit",	   "unload",	"destroy",    "destruct",   "delete",  "dispose",
		"dealloc", "free"};
	const char *at = entries_name(a, function);

	for (size_t length; *at; at += length) {
		length = isalpha((unsigned char)*at) ? word_length(at) : 1;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (strlen(words[i]) == length && strncasecmp(at, words[i], length) == 0)
				return true;
	}
	return false;
}

bool entries_is_main(const struct audit *a, unsigned function)
{
	return strcmp(entries_name(a, function), "main") == 0;
}

static bool is_called(const struct audit *a, unsigned function)
{
	return number_map_get(&a->called, a->program->functions.items[function].usr);
}

static unsigned taken(const struct audit *a, unsigned function)
{
	return number_map_get(&a->program->taken, a->program->functions.items[function].usr);
}

bool entries_is_called(const struct audit *a, unsigned function)
{
	return is_called(a, function) && !taken(a, function);
}

/* ---- entries --------------------------------------------------------------------------------- */

struct target_facts {
	bool has_main, is_used; /* is_used: another target calls its functions */
};

static const struct audit_unit *unit_of(const struct audit *a, unsigned function)
{
	const unsigned unit = a->program->functions.items[function].unit;

	return unit ? &a->program->sources.items[unit - 1] : NULL;
}

/* True if the units are known to have no common target. */
static bool are_of_others(const struct audit *a, const struct audit_unit *x,
			  const struct audit_unit *y)
{
	array_each(const unsigned, t, &x->targets)
		array_each(const unsigned, u, &y->targets)
			if (*t == *u || !targets_is_named(a->program, *t) ||
			    !targets_is_named(a->program, *u))
				return false;
	return true;
}

/* Marks functions that other targets call: the interface of their target. */
static void find_users(const struct audit *a, struct target_facts *targets, bool *is_used)
{
	array_each(const struct audit_edge, e, &a->calls) {
		const struct audit_unit *from = unit_of(a, e->from), *to = unit_of(a, e->to);

		if (!from || !to || !are_of_others(a, from, to))
			continue;
		is_used[e->to] = true;
		array_each(const unsigned, t, &to->targets)
			targets[*t].is_used = true;
	}
}

static bool is_in_program(const struct audit *a, const struct target_facts *targets,
			  unsigned function)
{
	const struct audit_unit *u = unit_of(a, function);

	if (!u)
		return a->program->has_main;
	array_each(const unsigned, t, &u->targets)
		if (!(targets_is_named(a->program, *t) ? targets[*t].has_main
						       : a->program->has_main))
			return false;
	return true;
}

static bool is_of_used(const struct audit *a, const struct target_facts *targets, unsigned function)
{
	const struct audit_unit *u = unit_of(a, function);

	if (u)
		array_each(const unsigned, t, &u->targets)
			if (targets[*t].is_used)
				return true;
	return false;
}

/* True for a library of programs that are known: one that is not shared, and used here. */
static bool is_of_archive(const struct audit *a, const struct target_facts *targets,
			  unsigned function)
{
	return is_of_used(a, targets, function) && !unit_of(a, function)->is_shared;
}

/* True for functions of a library without known users: any function may be its interface. */
static bool is_interface(const struct audit *a, const struct target_facts *targets,
			 unsigned function)
{
	return !a->roles[function].in_program && !is_of_used(a, targets, function);
}

static bool is_entry(const struct audit *a, const struct target_facts *targets, unsigned function,
		     bool is_used)
{
	const struct audit_function *f = &a->program->functions.items[function];

	if (a->facts[function].is_once || f->wants_lock)
		return false;
	if (taken(a, function) || (!is_called(a, function) && !f->is_static))
		return true;
	/* The compiler drops a static function that nothing calls. */
	if (f->is_static || *entries_name(a, function) == '_' || entries_wants_lock(a, function))
		return false;
	return is_used || is_interface(a, targets, function);
}

void entries_find(struct audit *a)
{
	const size_t functions = a->program->functions.count;
	struct target_facts *targets = base_alloc(a->program->targets.count + 1, sizeof(*targets));
	bool *is_used = base_alloc(functions + 1, sizeof(*is_used));

	a->roles = base_alloc(functions + 1, sizeof(*a->roles));
	for (unsigned i = 0; i < functions; i++)
		if (unit_of(a, i) && entries_is_main(a, i))
			array_each(const unsigned, t, &unit_of(a, i)->targets)
				targets[*t].has_main = true;
	find_users(a, targets, is_used);
	for (unsigned i = 0; i < functions; i++) {
		a->roles[i].in_program = is_in_program(a, targets, i);
		a->roles[i].is_entry = is_entry(a, targets, i, is_used[i]);
		a->roles[i].is_unused = (a->roles[i].in_program || is_of_archive(a, targets, i)) &&
					!entries_is_main(a, i) && !is_called(a, i) && !taken(a, i);
	}
	base_free(targets);
	base_free(is_used);
}

bool entries_is_callback(const struct audit *a, unsigned function)
{
	return taken(a, function) == TAKEN_SOMEHOW &&
	       (a->program->functions.items[function].is_static || a->program->has_main);
}

bool entries_is_thread(const struct audit *a, unsigned function)
{
	return taken(a, function) == TAKEN_BY_THREAD;
}

bool entries_is_unused(const struct audit *a, unsigned function)
{
	return a->roles[function].is_unused;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool entries_is_same(const struct entry_access *a, const struct entry_access *b)
{
	const unsigned flags = ACCESS_READS | ACCESS_WRITES;

	return place_same(a->at, b->at) && a->access->held.items == b->access->held.items &&
	       a->access->address == b->access->address &&
	       (a->access->flags & flags) == (b->access->flags & flags);
}

/* True if the entry is known to be called. */
static bool is_certain(const struct audit *a, unsigned entry)
{
	return !entries_is_callback(a, entry) && !entries_is_unused(a, entry);
}

static unsigned key_of(const struct entry_access *e)
{
	const uint64_t place = table_mix((uint64_t)e->at.file << 32 | e->at.line, e->at.column);

	return number_map_key(table_mix(table_mix(place, (uintptr_t)e->access->held.items),
					(uint64_t)e->access->field << 32 | e->access->address));
}

/* `known`: indexes + 1 of the accesses of all fields. */
static void entries_add(struct audit *a, const struct audit_access *access, unsigned entry,
			struct number_map *known)
{
	struct entry_accesses *to = &a->of_fields[access->field - 1];
	const struct audit_access *in = audit_innermost(access);
	const struct entry_access e = {access, entry, in->at, in->function, NULL};
	const unsigned key = key_of(&e);
	unsigned i;

	for (size_t at = 0; (i = number_map_next(known, key, &at));) {
		struct entry_access *same = i <= to->items.count ? &to->items.items[i - 1] : NULL;

		if (!same || !entries_is_same(same, &e))
			continue;
		if (!is_certain(a, same->entry) && is_certain(a, entry))
			*same = e;
		return;
	}
	*array_add(&to->items) = e;
	number_map_add(known, key, (unsigned)to->items.count);
}

static int by_place(const void *a, const void *b)
{
	return place_compare(((const struct entry_access *)a)->at,
			     ((const struct entry_access *)b)->at);
}

/* True if only main calls the function, and only where there is no other thread. */
static bool runs_alone(const struct audit *a, unsigned function)
{
	const unsigned phases = a->roles[function].phases;

	return phases && !(phases & PHASE_SHARED) && !entries_is_main(a, function);
}

/* True if the access is judged in this function, not in its callers. */
static bool is_of_function(const struct audit *a, const struct audit_access *access,
			   unsigned function)
{
	const struct audit_role *r = &a->roles[function];

	if (r->is_entry)
		return true;
	if (!program_is_plain(audit_record_of(a, access->field)))
		return access->flags & ACCESS_SETTLED;
	return r->locks.is_known && !a->program->functions.items[function].wants_lock;
}

void entries_collect(struct audit *a)
{
	struct number_map known = {0};

	a->of_fields = base_alloc(a->program->fields.count + 1, sizeof(*a->of_fields));
	for (unsigned i = 0; i < a->program->functions.count; i++) {
		const struct audit_facts *f = &a->facts[i];

		if (f->is_once || runs_alone(a, i))
			continue;
		array_each(struct audit_access *const, access, &f->accesses)
			if (is_of_function(a, *access, i) &&
			    !((*access)->flags & ACCESS_ALONE && entries_is_main(a, i)))
				entries_add(a, *access, i, &known);
	}
	number_map_fini(&known);
	for (size_t i = 0; i < a->program->fields.count; i++)
		array_sort(&a->of_fields[i].items, by_place);
}

void entries_forget(struct audit *a)
{
	for (size_t i = 0; a->of_fields && i < a->program->fields.count; i++)
		array_fini(&a->of_fields[i].items);
	base_free(a->of_fields);
}

unsigned long entries_variables(const struct audit *a)
{
	unsigned long count = 0;

	for (unsigned i = 0; i < a->program->fields.count; i++)
		if (audit_record_of(a, i + 1)->kind == RECORD_VARIABLES)
			array_each(const struct entry_access, e, &a->of_fields[i].items)
				if (entry_is(e, ACCESS_WRITES)) {
					count++;
					break;
				}
	return count;
}

struct entry_accesses *entries_of_field(const struct audit *a, unsigned field)
{
	return &a->of_fields[field - 1];
}

void entries_notes(const struct audit *a, const struct entry_access *e, enum finding_way way,
		   struct finding *f)
{
	for (const struct audit_access *at = e->access; at->inner; at = at->inner)
		finding_step(f, way, at->at, "from here, in %s", entries_name(a, at->function));
}

/* ---- findings -------------------------------------------------------------------------------- */

struct finding *check_add(struct audit *a, enum finding_tag tag, struct audit_place at,
			  unsigned field, unsigned function)
{
	const struct audit_program *p = a->program;
	struct finding *f =
		findings_add(&a->findings, tag, at, field ? p->fields.items[field - 1].name : 0);

	if (!f)
		return NULL;
	finding_is_of(f, audit_record_of(a, field));
	f->function = p->functions.items[function].name;
	return f;
}

void check_doubt_name(const struct audit *a, unsigned function, struct finding *f)
{
	if (entries_makes_or_ends(a, function))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "the function's name tells of set-up or teardown");
}

void check_say(const struct audit *a, struct finding *f, const char *fmt, ...)
{
	const struct audit_program *p = a->program;
	va_list ap;
	STR(text);

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	if (f->record)
		finding_say(f, "'%s' of struct %s %s; in %s", program_text(p, f->field),
			    program_text(p, f->record), str_text(&text),
			    program_text(p, f->function));
	else
		finding_say(f, "'%s' %s; in %s", program_text(p, f->field), str_text(&text),
			    program_text(p, f->function));
}
