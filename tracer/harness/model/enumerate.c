/* Enumerates harnesses in order of size, one of each equivalence class. */
#include "tracer/harness/model/model.h"

#include <string.h>

/* FEW_CALLS: calls of all operations that few values make; FEW: least calls of one operation there.
   MOST: harnesses to enumerate, symmetric ones included. DRAWS: samples until one is usable. */
enum { VALUES = 256, FEW_CALLS = 24, FEW = 2, MOST = 300000, DRAWS = 5000 };

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
	return &e->object->calls.items[e->usable.items[e->slots[slot]]];
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

/* Calls of an operation with few values. */
static unsigned few_of_one(const struct harness_object *o)
{
	unsigned ops = 0;

	array_each(const struct harness_op, op, &o->ops)
		ops += !op->is_out;
	return ops && FEW_CALLS / ops > FEW ? FEW_CALLS / ops : FEW;
}

static bool is_few(const struct harness_object *o, unsigned call)
{
	unsigned before = 0;

	while (before < call && o->calls.items[call - 1 - before].op == o->calls.items[call].op)
		before++;
	return before < few_of_one(o);
}

bool enumerate_has_few(const struct harness_object *o)
{
	for (unsigned c = 0; c < o->calls.count; c++)
		if (!is_few(o, c))
			return true;
	return false;
}

/* True if the calls are those that --core and --untrusted ask for. */
static bool is_trusted(const struct enumeration *e)
{
	unsigned untrusted = 0, any = 0;

	for (unsigned s = 0; s < e->size; s++) {
		enum harness_trust trust = e->object->ops.items[call_at(e, s)->op].trust;

		untrusted += trust == HARNESS_UNTRUSTED;
		any += trust == HARNESS_ANY;
	}
	return any || untrusted == 1;
}

/* True if a harness of ENUMERATE_REST has a call that is not among the few. */
static bool is_beyond_few(const struct enumeration *e)
{
	bool rest = e->calls != ENUMERATE_REST;

	for (unsigned s = 0; s < e->size && !rest; s++)
		rest = !is_few(e->object, e->usable.items[e->slots[s]]);
	return rest;
}

static bool begins_with_change(const struct enumeration *e)
{
	for (unsigned t = 0; t < e->threads; t++)
		if (changes(e, start_of(e, t)))
			return true;
	return false;
}

static bool is_wanted_at_all(const struct enumeration *e)
{
	bool any = false;

	for (unsigned s = 0; s < e->size; s++)
		any |= changes(e, s);
	return any && is_trusted(e) && is_beyond_few(e) && is_first_of_its_kind(e);
}

static bool enumerate_is_wanted(const struct enumeration *e)
{
	return begins_with_change(e) != e->second && is_wanted_at_all(e);
}

/* Advances the slot and resets all later ones. Returns false if there are no more with these
   counts. */
static bool advance(struct enumeration *e, unsigned slot)
{
	for (unsigned s = slot + 1; s < e->size; s++)
		e->slots[s] = 0;
	for (unsigned s = slot + 1; s-- > 0;) {
		if (++e->slots[s] < e->usable.count)
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
		     unsigned size, enum enumeration_calls calls)
{
	*e = (struct enumeration){.object = o, .threads = threads, .size = size, .calls = calls};
	for (unsigned c = 0; c < o->calls.count; c++)
		if ((calls != ENUMERATE_FEW || is_few(o, c)) &&
		    o->ops.items[o->calls.items[c].op].trust != HARNESS_NEITHER)
			*array_add(&e->usable) = c;
	if (!first_counts(e) || !e->usable.count)
		e->size = 0;
}

void enumerate_fini(struct enumeration *e)
{
	array_fini(&e->usable);
}

static void enumerate_fill(const struct enumeration *e, struct schema *out)
{
	unsigned slot = 0;

	*out = (struct schema){.threads = e->threads};
	for (unsigned t = 0; t < e->threads; t++) {
		out->counts[t] = e->counts[t];
		for (unsigned i = 0; i < e->counts[t]; i++)
			out->calls[t][i] = e->usable.items[e->slots[slot++]];
	}
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
	enumerate_fill(e, out);
	return true;
}

/* ---- samples --------------------------------------------------------------------------------- */

bool enumerate_is_large(const struct enumeration *e)
{
	double count = 1;

	for (unsigned s = 0; s < e->size; s++)
		count *= (double)e->usable.count;
	return count > MOST;
}

/* Xorshift (Marsaglia). */
uint64_t enumerate_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Draws a call for the slot; with `trust`, of such an operation if some are drawn soon. */
static void draw_slot(struct enumeration *e, unsigned slot, enum harness_trust trust,
		      uint64_t *state)
{
	for (unsigned n = 0; n < DRAWS; n++) {
		e->slots[slot] = (unsigned)(enumerate_random(state) % e->usable.count);
		if (e->object->ops.items[call_at(e, slot)->op].trust == trust)
			break;
	}
}

static void draw(struct enumeration *e, uint64_t *state)
{
	const unsigned untrusted = (unsigned)(enumerate_random(state) % e->size);
	const bool trusts = e->object->ops.items[call_at(e, 0)->op].trust != HARNESS_ANY;

	for (uint64_t n = enumerate_random(state) % (e->size + 1); n > 0; n--)
		if (!next_counts(e))
			first_counts(e);
	for (unsigned s = 0; s < e->size; s++)
		draw_slot(e, s,
			  !trusts	   ? HARNESS_ANY
			  : s == untrusted ? HARNESS_UNTRUSTED
					   : HARNESS_CORE,
			  state);
}

bool enumerate_sample(struct enumeration *e, uint64_t *state, struct schema *out, bool *first)
{
	for (unsigned n = 0; e->size && n < DRAWS; n++) {
		draw(e, state);
		if (wrong_value(e) < 0 && is_wanted_at_all(e)) {
			*first = begins_with_change(e);
			enumerate_fill(e, out);
			return true;
		}
	}
	return false;
}
