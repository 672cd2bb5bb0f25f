/* P1: only a struct's own module uses its fields, and no address of a field leaves the module. */
#include "tracer/audit/checks/checks.h"

#include <string.h>

/* Length of the name without folder and extension. */
static size_t stem(const char *path, const char **out)
{
	const char *slash = strrchr(path, '/'), *dot;

	*out = slash ? slash + 1 : path;
	dot = strrchr(*out, '.');
	return dot ? (size_t)(dot - *out) : strlen(*out);
}

static bool same_stem(const char *a, const char *b)
{
	const char *x, *y;
	size_t n = stem(a, &x), m = stem(b, &y);

	return n == m && strncmp(x, y, n) == 0;
}

/* True if a source file belongs to the header; else the struct has no known module. */
static bool has_module(const struct audit *a, const struct audit_record *r)
{
	const char *header = program_text(a->program, r->at.file);

	array_each(const struct audit_function, f, &a->program->functions)
		if (f->at.file != r->at.file &&
		    same_stem(program_text(a->program, f->at.file), header))
			return true;
	return false;
}

static bool is_of_module(const struct audit *a, const struct audit_record *r, unsigned file)
{
	return same_stem(program_text(a->program, file), program_text(a->program, r->at.file));
}

static bool has_guard(const struct entry_access *e)
{
	return e->access->held.count > 0 || entry_is(e, ACCESS_ATOMIC);
}

/* *always: its own module has a lock at each use. True if most uses are in its own module, mostly
   with a lock, and this use is not always guarded. A header of a whole program has no module; a
   module that needs no lock itself asks none of others. */
static bool needs_guard(const struct audit *a, const struct audit_record *r,
			const struct audit_access *access, bool *always)
{
	unsigned inside = 0, outside = 0, guarded = 0, here = 0, guarded_here = 0;

	array_each(const struct entry_access, e, &entries_of_field(a, access->field)->items) {
		const bool is_inside = is_of_module(a, r, e->at.file);

		inside += is_inside;
		outside += !is_inside;
		guarded += is_inside && has_guard(e);
		if (place_same(e->at, access->at)) {
			here++;
			guarded_here += has_guard(e);
		}
	}
	*always = guarded == inside;
	return inside >= outside && 2 * guarded > inside && !(here && guarded_here == here);
}

/* True if each thread of one function may have an object of its own: where it comes from is not
   known. */
static bool may_be_own(const struct audit *a, const struct entry_access *e,
		       const struct entry_access *other)
{
	const enum term_kind root = term_kind(&a->terms, term_root(&a->terms, e->access->address));

	return e->entry == other->entry && entries_is_thread(a, e->entry) && root != TERM_GLOBAL &&
	       root != TERM_PARAMETER;
}

static bool is_conflict(const struct audit *a, const struct entry_access *e,
			const struct entry_access *other)
{
	return (entry_is(e, ACCESS_WRITES) || entry_is(other, ACCESS_WRITES)) &&
	       parallel_is_known(a, e, other) && !may_be_own(a, e, other);
}

/* True if two threads are known to use the field at once, one of them here, and one to write. */
static bool has_conflict(const struct audit *a, const struct audit_access *access)
{
	const struct entry_accesses *all = entries_of_field(a, access->field);

	array_each(const struct entry_access, e, &all->items) {
		if (!place_same(e->at, access->at) || !graph_is_access_shared(a, e))
			continue;
		array_each(const struct entry_access, other, &all->items)
			if (is_conflict(a, e, other))
				return true;
	}
	return false;
}

static void report_use(struct audit *a, const struct audit_record *r,
		       const struct audit_access *access)
{
	const struct audit_field *of = &a->program->fields.items[access->field - 1];
	struct finding *f;
	bool always;

	array_each(const struct finding, known, &a->findings.items)
		if (known->tag == FINDING_P1 && known->field == of->name &&
		    known->record == r->name &&
		    known->function == a->program->functions.items[access->function].name)
			return;
	f = check_add(a, FINDING_P1, access->at, access->field, access->function);
	if (!f)
		return;
	finding_evidence(f, 40, "the field belongs to another module");
	if (needs_guard(a, r, access, &always))
		finding_evidence(f, always ? 20 : 0, "which has a lock at %s of its uses",
				 always ? "each" : "most");
	else
		finding_evidence(f, EVIDENCE_AGAINST,
				 "its own module does not use it with a lock for the most part");
	if (entries_is_called(a, access->function) && graph_callers_hold(a, access->function))
		finding_evidence(f, EVIDENCE_AGAINST, "all callers in these files hold a lock");
	check_doubt_name(a, access->function, f);
	if (!has_conflict(a, access))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "no two threads are known to use it at once, one to write");
	check_say(a, f, "is used outside of its module, %s",
		  str_base_name(program_text(a->program, r->at.file)));
	graph_notes(a, access->function, WAY_HERE, f);
	finding_note(f, of->at, "it is declared here");
}

static void check_uses(struct audit *a, unsigned function)
{
	const unsigned file = a->program->functions.items[function].at.file;

	array_each(struct audit_access *const, access, &a->facts[function].accesses) {
		const struct audit_record *r = audit_record_of(a, (*access)->field);

		if (!(*access)->inner && r->is_public && program_is_shared(r) && has_module(a, r) &&
		    !is_of_module(a, r, file))
			report_use(a, r, *access);
	}
}

/* True if another thread is known to write the field meanwhile, with a lock. */
static bool is_written_beside(const struct audit *a, const struct suspicion *s)
{
	array_each(const struct entry_access, e, &entries_of_field(a, s->field)->items)
		if (entry_is(e, ACCESS_WRITES) && has_guard(e) &&
		    parallel_runs_beside(a, s->function, e))
			return true;
	return false;
}

static void report_escape(struct audit *a, const struct suspicion *s)
{
	const struct audit_program *p = a->program;
	const struct audit_field *of = s->field ? &p->fields.items[s->field - 1] : NULL;
	struct finding *f;
	STR(object);

	if (of && !program_is_shared(audit_record_of(a, s->field)))
		return;
	f = check_add(a, FINDING_P1, s->at, s->field, s->function);
	if (!f)
		return;
	finding_evidence(f, EVIDENCE_CERTAIN, "the address is seen to leave the function");
	if (!suspicion_is_shared(a, s))
		finding_evidence(f, EVIDENCE_AGAINST, "no other thread runs then");
	else if (graph_is_set_up(a, s->function, s->moment))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "a program also calls it before it makes threads");
	if (!graph_is_from_known(a, s->function))
		finding_evidence(
			f, EVIDENCE_AGAINST,
			"only pointers lead to the function: when it is called is not known");
	if (s->is_locked)
		finding_evidence(f, EVIDENCE_AGAINST,
				 "its lock is held meanwhile: the two may be one list or tree");
	if (s->is_for_call)
		finding_evidence(f, EVIDENCE_AGAINST, "it may be for the time of the call alone");
	if (of && of->type)
		finding_evidence(
			f, EVIDENCE_AGAINST,
			"a struct within a struct, as a list head, is meant to be pointed to");
	if (of && !is_written_beside(a, s))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "no other thread is known to write it with a lock");
	if (s->is_to_own)
		finding_evidence(f, EVIDENCE_AGAINST, "the copy is new, and its lock not in use");
	term_print(&a->terms, p, &p->functions.items[s->function], s->term, &object);
	if (of)
		finding_say(f,
			    "the address of '%s' of struct %s %s: it can be used without its lock; "
			    "in %s",
			    program_text(p, f->field), program_text(p, f->record), s->how,
			    program_text(p, f->function));
	else
		finding_say(f, "'%s' %s, together with its lock; in %s", str_text(&object), s->how,
			    program_text(p, f->function));
	graph_notes(a, s->function, WAY_HERE, f);
}

void check_escape(struct audit *a)
{
	for (unsigned i = 0; i < a->program->functions.count; i++)
		check_uses(a, i);
	array_each(const struct suspicion, s, &a->suspicions)
		if (s->kind == SUSPECT_ESCAPE)
			report_escape(a, s);
}
