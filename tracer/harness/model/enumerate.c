/* Enumerates harnesses in order of size, one of each equivalence class. */
#include "tracer/harness/model/model.h"

#include <string.h>

enum { VALUES = 256 };

/* ---- calls per thread ------------------------------------------------------------------------ */

/* Begins with the most even partition, non-increasing. Returns false if there are too many calls
   for the threads. */
static bool first_counts(struct enumeration *e)
{
	if (e->size < e->threads || e->threads < 2 || e->threads > SCHEMA_THREADS)
		return false;
	for (unsigned t = 0; t < e->threads; t++)
		e->counts[t] = e->size / e->threads + (t < e->size % e->threads);
	return e->counts[0] <= SCHEMA_CALLS;
}

/* Next partition: gives a call of a later thread to an earlier one. */
static bool next_counts(struct enumeration *e)
{
	for (unsigned t = e->threads - 1; t-- > 0;) {
		unsigned rest = 0, after = e->threads - t - 1;

		for (unsigned i = t; i < e->threads; i++)
			rest += e->counts[i];
		if (e->counts[t] + 1 > rest - after || e->counts[t] + 1 > SCHEMA_CALLS ||
		    (t > 0 && e->counts[t] + 1 > e->counts[t - 1]))
			continue;
		e->counts[t]++;
		rest -= e->counts[t];
		for (unsigned i = t + 1; i < e->threads; i++) {
			unsigned left = e->threads - i;

			e->counts[i] = rest / left + (rest % left != 0);
			rest -= e->counts[i];
		}
		return true;
	}
	return false;
}

/* ---- canonical form -------------------------------------------------------------------------- */

static const struct harness_call *call_at(const struct enumeration *e, unsigned slot)
{
	return &e->object->calls.items[e->slots[slot]];
}

static bool may_rename(const struct enumeration *e, const struct harness_call *c, size_t i)
{
	const struct harness_argument *a = &e->object->ops.items[c->op].arguments.items[i];

	return a->kind == HARNESS_VALUE && a->renames;
}

/* First slot whose call uses a value before the preceding value was used, or -1. */
static int wrong_value(const struct enumeration *e)
{
	unsigned next = 0;

	for (unsigned s = 0; s < e->size; s++) {
		const struct harness_call *c = call_at(e, s);
		const struct harness_op *op = &e->object->ops.items[c->op];

		for (size_t i = 0; i < op->arguments.count; i++) {
			if (!may_rename(e, c, i))
				continue;
			if (c->values[i] > next)
				return (int)s;
			next += c->values[i] == next;
		}
	}
	return -1;
}

static unsigned start_of(const struct enumeration *e, unsigned thread)
{
	unsigned at = 0;

	for (unsigned t = 0; t < thread; t++)
		at += e->counts[t];
	return at;
}

/* Encodes the harness with its threads in `order` as comparable bytes; values are numbered by first
   use. */
static void write_order(const struct enumeration *e, const unsigned *order, struct str *out)
{
	unsigned char names[VALUES] = {0}, count = 0; /* number + 1; 0 means none */

	for (unsigned t = 0; t < e->threads; t++)
		for (unsigned i = 0; i < e->counts[order[t]]; i++) {
			const struct harness_call *c = call_at(e, start_of(e, order[t]) + i);
			const struct harness_op *op = &e->object->ops.items[c->op];

			str_add_bytes(out, (char[]){(char)c->op}, 1);
			for (size_t k = 0; k < op->arguments.count; k++) {
				unsigned char value = c->values[k];

				if (may_rename(e, c, k)) {
					if (!names[value])
						names[value] = ++count;
					value = (unsigned char)(names[value] - 1);
				}
				str_add_bytes(out, (char *)&value, 1);
			}
		}
}

static bool is_less(const struct str *a, const struct str *b)
{
	size_t least = a->length < b->length ? a->length : b->length;
	int order = least ? memcmp(a->text, b->text, least) : 0;

	return order < 0 || (order == 0 && a->length < b->length);
}

/* True if a permutation of threads with equal numbers of calls has a smaller encoding. */
static bool has_lesser(const struct enumeration *e, unsigned *order, unsigned at,
		       const struct str *own)
{
	STR(other);
	bool less = false;

	if (at == e->threads) {
		write_order(e, order, &other);
		less = is_less(&other, own);
		return less;
	}
	for (unsigned t = at; t < e->threads && !less; t++) {
		unsigned kept = order[at];

		if (e->counts[order[t]] != e->counts[at])
			continue;
		order[at] = order[t];
		order[t] = kept;
		less = has_lesser(e, order, at + 1, own);
		order[t] = order[at];
		order[at] = kept;
	}
	return less;
}

static bool is_first_of_its_kind(const struct enumeration *e)
{
	unsigned order[SCHEMA_THREADS] = {0, 1, 2, 3};
	STR(own);
	bool first;

	write_order(e, order, &own);
	first = !has_lesser(e, order, 0, &own);
	return first;
}

/* ---- enumeration ----------------------------------------------------------------------------- */

static bool changes(const struct enumeration *e, unsigned slot)
{
	return !e->object->ops.items[call_at(e, slot)->op].reads;
}

static bool enumerate_is_wanted(const struct enumeration *e)
{
	bool any = false, first = false;

	for (unsigned s = 0; s < e->size; s++)
		any |= changes(e, s);
	for (unsigned t = 0; t < e->threads; t++)
		first |= changes(e, start_of(e, t));
	return any && first != e->second && is_first_of_its_kind(e);
}

/* Advances the slot and resets all later ones. Returns false if there are no more with these
   counts. */
static bool advance(struct enumeration *e, unsigned slot)
{
	for (unsigned s = slot + 1; s < e->size; s++)
		e->slots[s] = 0;
	for (unsigned s = slot + 1; s-- > 0;) {
		if (++e->slots[s] < e->object->calls.count)
			return true;
		e->slots[s] = 0;
	}
	return false;
}

/* Advances to the next harness whose values are numbered by first use. */
static bool enumerate_step(struct enumeration *e)
{
	bool more = true;
	int wrong;

	if (e->begun)
		more = advance(e, e->size - 1);
	e->begun = true;
	while (more && (wrong = wrong_value(e)) >= 0)
		more = advance(e, (unsigned)wrong);
	return more;
}

static bool restart(struct enumeration *e)
{
	memset(e->slots, 0, sizeof(e->slots));
	e->begun = false;
	if (next_counts(e))
		return true;
	if (e->second)
		return false;
	e->second = true;
	return first_counts(e);
}

void enumerate_begin(struct enumeration *e, const struct harness_object *o, unsigned threads,
		     unsigned size)
{
	*e = (struct enumeration){.object = o, .threads = threads, .size = size};
	if (!first_counts(e) || !o->calls.count)
		e->size = 0;
}

bool enumerate_next(struct enumeration *e, struct schema *out)
{
	if (!e->size)
		return false;
	do {
		while (!enumerate_step(e))
			if (!restart(e)) {
				e->size = 0;
				return false;
			}
	} while (!enumerate_is_wanted(e));
	*out = (struct schema){.threads = e->threads};
	for (unsigned t = 0; t < e->threads; t++) {
		out->counts[t] = e->counts[t];
		memcpy(out->calls[t], e->slots + start_of(e, t), e->counts[t] * sizeof(unsigned));
	}
	return true;
}
