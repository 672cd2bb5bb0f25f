/* P3 of bit-fields: adjacent ones are one memory location, which needs one lock. */
#include "tracer/audit/checks/checks.h"

struct bit_field {
	unsigned field;
	struct entry_accesses *all;
	struct majority m;
};

static bool has_lock(const struct bit_field *b)
{
	return b->m.key && 2 * b->m.held > b->m.places;
}

/* True if the fields have different locks, or one has none: each by itself is no finding. */
static bool differ(const struct bit_field *x, const struct bit_field *y)
{
	if (has_lock(x) && has_lock(y))
		return x->m.key != y->m.key;
	return (has_lock(x) && !y->m.held) || (has_lock(y) && !x->m.held);
}

static const struct entry_access *conflict_with(const struct audit *a, const struct entry_access *e,
						const struct bit_field *other)
{
	array_each(const struct entry_access, o, &other->all->items)
		if (entry_is(o, ACCESS_WRITES) && o->function != e->function &&
		    !guards_exclude(e, o) && parallel_may_be(a, e, o) &&
		    graph_is_access_shared(a, o))
			return o;
	return NULL;
}

static void report_bits(struct audit *a, const struct entry_access *e, const struct entry_access *o,
			const struct bit_field *x, const struct bit_field *y)
{
	struct finding *f = check_add(a, FINDING_P3, e->at, x->field, e->function);

	if (!f)
		return;
	f->other = o->at;
	f->other_function = a->program->functions.items[o->function].name;
	f->lock = x->m.key;
	if (has_lock(x) && has_lock(y))
		finding_evidence(f, EVIDENCE_CERTAIN, "each of the two has a lock of its own");
	else
		finding_evidence(f, 40, "one of the two has a lock, the other none");
	if (parallel_is_certain(a, e, o))
		finding_evidence(f, 15, "two threads are known to reach both places");
	if (entries_is_callback(a, e->entry) || entries_is_callback(a, o->entry))
		finding_evidence(f, EVIDENCE_AGAINST, "who calls the function is not known");
	check_say(a, f,
		  "is a bit-field of one word with '%s', which is written without a common lock: "
		  "either write may undo the other",
		  program_text(a->program, a->program->fields.items[y->field - 1].name));
	entries_notes(a, e, WAY_HERE, f);
	finding_step(f, WAY_OTHER_END, o->at, "'%s' is written here, in %s",
		     program_text(a->program, a->program->fields.items[y->field - 1].name),
		     entries_name(a, o->function));
	entries_notes(a, o, WAY_OTHER, f);
}

static void check_pair(struct audit *a, const struct bit_field *x, const struct bit_field *y)
{
	if (!differ(x, y))
		return;
	array_each(const struct entry_access, e, &x->all->items) {
		const struct entry_access *o =
			entry_is(e, ACCESS_WRITES) && graph_is_access_shared(a, e)
				? conflict_with(a, e, y)
				: NULL;

		if (o) {
			report_bits(a, e, o, x, y);
			return;
		}
	}
}

static struct bit_field bit_field_of(const struct audit *a, unsigned field)
{
	struct bit_field b = {field, entries_of_field(a, field), {0}};

	b.m = guards_majority(a, b.all, field);
	return b;
}

void check_words(struct audit *a)
{
	const struct audit_program *p = a->program;

	for (unsigned i = 0; i < p->fields.count; i++) {
		const unsigned word = p->fields.items[i].word;
		struct bit_field x;

		if (!word || !program_is_shared(audit_record_of(a, i + 1)))
			continue;
		x = bit_field_of(a, i + 1);
		for (unsigned k = word - 1; k < i; k++)
			if (p->fields.items[k].word == word) {
				const struct bit_field y = bit_field_of(a, k + 1);

				check_pair(a, &x, &y);
			}
	}
}
