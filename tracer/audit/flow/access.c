/* What a function does to fields, each thing once; and which locks are held, each set of them once. */
#include "tracer/audit/flow/flow.h"

#include <string.h>

enum { ACCESSES_MOST = 3000, DEEPEST = 12, FIRST = 256 };

/* ---- sets of locks ---------------------------------------------------------------------------------------- */

static bool same_locks(const struct audit_held *a, const struct audit_held *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (a[i].lock != b[i].lock || a[i].mode != b[i].mode)
			return false;
	return true;
}

bool audit_helds_same(const struct audit_helds *a, const struct audit_helds *b)
{
	return a->count == b->count && same_locks(a->items, b->items, a->count);
}

static size_t slot_of_helds(const struct helds_table *t, const struct audit_held *items,
			    unsigned count)
{
	uint64_t sum = count;
	size_t at;

	for (unsigned i = 0; i < count; i++)
		sum = ((sum ^ items[i].lock) * 0x9e3779b97f4a7c15) ^ items[i].mode;
	sum *= 0x9e3779b97f4a7c15;
	for (at = (size_t)(sum >> 32) & (t->size - 1); t->slots[at];
	     at = (at + 1) & (t->size - 1)) {
		const struct audit_helds *is = &t->all.items[t->slots[at] - 1];

		if (is->count == count && same_locks(is->items, items, count))
			break;
	}
	return at;
}

static void grow_helds(struct helds_table *t)
{
	t->size = t->size ? 2 * t->size : FIRST;
	base_free(t->slots);
	t->slots = base_alloc(t->size, sizeof(*t->slots));
	for (unsigned i = 0; i < t->all.count; i++)
		t->slots[slot_of_helds(t, t->all.items[i].items, t->all.items[i].count)] = i + 1;
}

struct audit_helds audit_helds_of(struct audit *a, const struct audit_held *items, unsigned count)
{
	struct helds_table *t = &a->helds;
	struct audit_held *kept;
	size_t at;

	if (!count)
		return (struct audit_helds){NULL, 0};
	if (2 * (t->all.count + 1) > t->size)
		grow_helds(t);
	at = slot_of_helds(t, items, count);
	if (!t->slots[at]) {
		kept = program_alloc(a->program, count * sizeof(*kept));
		memcpy(kept, items, count * sizeof(*kept));
		*array_add(&t->all) = (struct audit_helds){kept, count};
		t->slots[at] = (unsigned)t->all.count;
	}
	return t->all.items[t->slots[at] - 1];
}

void audit_helds_fini(struct audit *a)
{
	array_fini(&a->helds.all);
	base_free(a->helds.slots);
}

/* ---- accesses ------------------------------------------------------------------------------------------------ */

const struct audit_access *access_innermost(const struct audit_access *a)
{
	while (a->inner)
		a = a->inner;
	return a;
}

static bool access_is_same(const struct audit_access *a, const struct audit_access *b)
{
	struct audit_place x = access_innermost(a)->at, y = access_innermost(b)->at;

	return a->address == b->address && a->reads == b->reads && a->writes == b->writes &&
	       x.file == y.file && x.line == y.line && x.column == y.column &&
	       a->alone == b->alone && a->late == b->late && a->held.items == b->held.items &&
	       conditions_same(&a->when, &b->when);
}

static size_t access_hash_of(const struct audit_access *a)
{
	const struct audit_place at = access_innermost(a)->at;
	uint64_t sum = (a->address * 0x9e3779b97f4a7c15) ^ at.file;

	sum = (sum * 0x9e3779b97f4a7c15) ^ ((uint64_t)at.line << 16 ^ at.column);
	return (size_t)(sum * 0x9e3779b97f4a7c15 >> 32);
}

static size_t access_slot_of(const struct audit_flow *w, const struct audit_access *a)
{
	const size_t mask = w->known.size - 1;
	size_t at;

	for (at = access_hash_of(a) & mask; w->known.slots[at]; at = (at + 1) & mask)
		if (access_is_same(a, w->facts->accesses.items[w->known.slots[at] - 1]))
			break;
	return at;
}

static void access_grow(struct audit_flow *w)
{
	w->known.size = w->known.size ? 2 * w->known.size : FIRST;
	base_free(w->known.slots);
	w->known.slots = base_alloc(w->known.size, sizeof(*w->known.slots));
	for (unsigned i = 0; i < w->facts->accesses.count; i++)
		w->known.slots[access_slot_of(w, w->facts->accesses.items[i])] = i + 1;
}

/* Its object's own lock is held: whatever its callers hold changes nothing. */
static bool is_settled(const struct terms *t, const struct audit_access *a)
{
	for (unsigned i = 0; i < a->held.count; i++)
		if ((a->held.items[i].mode == HELD_ALONE ||
		     (a->held.items[i].mode == HELD_SHARED && !a->writes)) &&
		    term_object(t, a->held.items[i].lock) == term_object(t, a->address))
			return true;
	return false;
}

void access_add(struct audit_flow *w, struct audit_access *a)
{
	struct audit_access *kept;
	size_t at;

	a->depth = a->inner ? a->inner->depth + 1 : 0;
	a->is_settled = is_settled(&w->audit->terms, a);
	if (a->depth > DEEPEST || w->facts->accesses.count >= ACCESSES_MOST)
		return;
	if (2 * (w->facts->accesses.count + 1) > w->known.size)
		access_grow(w);
	at = access_slot_of(w, a);
	if (w->known.slots[at])
		return;
	kept = program_alloc(w->audit->program, sizeof(*kept));
	*kept = *a;
	*array_add(&w->facts->accesses) = kept;
	w->known.slots[at] = (unsigned)w->facts->accesses.count;
}
