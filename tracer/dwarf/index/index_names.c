/*
 * Which units have which names? One pass over all DIEs, that reads of each no more than its name and, of
 * functions, whether it is code.
 *
 * A function of a name that has code may have the name from elsewhere: a copy from the abstract function, a
 * method from its class. That is looked up when the unit has been read.
 */
#include "tracer/dwarf/units/dies_read.h"
#include "tracer/dwarf/index/index_internal.h"
#include "tracer/elf/mapped.h"

#include <libdwarf/dwarf.h>

#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 32 << 20, CHAIN_MOST = 16 };

/* A hash, and the unit: INDEX_UNIT(). */
struct name_unit {
	uint32_t hash, unit;
};

struct name_slot {
	uint32_t hash, unit, at; /* unit: plus one, of whose names this is one; at: in `all` */
};

struct named_function {
	uint64_t offset, origin;
	const char *name; /* NULL: its origin has it */
	bool code;
};

struct collector {
	struct die_table *t;
	const struct die_unit *u;
	uint32_t number; /* of the unit */
	struct abbrevs *abbrevs;
	ARRAY(bool) wanted;			/* by abbreviation: is there anything to read? */
	ARRAY(struct name_unit) all;		/* by unit, each hash once */
	struct name_slot *slots;		/* names of this unit, by hash */
	size_t slot_count, slots_used;		/* slot_count is a power of two */
	ARRAY(struct named_function) functions; /* of this unit, by offset */
	bool unsure; /* some function's name is not known: all units may have functions */
};

/* ---- one name ------------------------------------------------------------------------------- */

static struct name_slot *index_names_slot_of(const struct collector *x, uint32_t hash)
{
	size_t mask = x->slot_count - 1, at = (hash * 0x9e3779b1u) >> 7 & mask;

	while (x->slots[at].unit == x->number + 1 && x->slots[at].hash != hash)
		at = (at + 1) & mask;
	return &x->slots[at];
}

static void grow_slots(struct collector *x)
{
	struct name_slot *old = x->slots;
	size_t count = x->slot_count;

	x->slot_count = count ? count * 4 : 1024;
	x->slots = base_alloc(x->slot_count, sizeof(*x->slots));
	for (size_t i = 0; i < count; i++)
		if (old[i].unit == x->number + 1)
			*index_names_slot_of(x, old[i].hash) = old[i];
	base_free(old);
}

static void add_hash(struct collector *x, uint32_t hash, bool code)
{
	struct name_slot *slot;

	if (x->slots_used * 2 >= x->slot_count)
		grow_slots(x);
	slot = index_names_slot_of(x, hash);
	if (slot->unit != x->number + 1) {
		*slot = (struct name_slot){hash, x->number + 1, (uint32_t)x->all.count};
		x->slots_used++;
		*array_add(&x->all) = (struct name_unit){hash, INDEX_UNIT(x->number, 0)};
	}
	x->all.items[slot->at].unit |= code;
}

/* Whoever asks leaves out template arguments and [abi:...]; an operator's name has such characters itself. */
static void add_name(struct collector *x, const char *name, bool code)
{
	bool is_operator = strncmp(name, "operator", 8) == 0;
	uint32_t hash = HASH_NARROW_START;

	for (size_t i = 0; name[i]; i++) {
		char next = name[i + 1];

		hash = hash_narrow(hash, name[i]);
		if (next != '\0' && next != '<' && next != '[' && !(is_operator && next == ' '))
			continue;
		add_hash(x, hash, code);
		if (!is_operator && next)
			break;
	}
	if (!is_operator && strpbrk(name, "<["))
		add_hash(x, index_hash(name), code);
}

/* ---- one DIE -------------------------------------------------------------------------------- */

static bool index_names_is_function(unsigned tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Names that nobody looks for in other units. */
static bool is_private(unsigned tag)
{
	return tag == DW_TAG_formal_parameter || tag == DW_TAG_template_type_parameter ||
	       tag == DW_TAG_template_value_parameter;
}

static bool index_names_is_wanted(const struct abbrevs *a, const struct abbrev *one)
{
	for (uint32_t i = 0; i < one->count && !is_private(one->tag); i++)
		if (a->attrs.items[one->first + i].slot == DIE_NAME)
			return true;
	return index_names_is_function(one->tag);
}

static void skip(const struct collector *x, struct cursor *c, const struct abbrev_attr *attr)
{
	struct attr ignored;

	if (attr->size >= 0)
		cursor_take(c, (uint64_t)attr->size);
	else if (attr->form == DW_FORM_exprloc)
		cursor_take(c, cursor_uleb(c));
	else
		attr_read(x->abbrevs, x->u, c, attr, &ignored);
}

/* What is code, or was, and is so in copies of it. */
static bool means_code(unsigned tag, unsigned slot)
{
	return slot == DIE_LOW || slot == DIE_RANGES || slot == DIE_ENTRY ||
	       (slot == DIE_INLINE && tag == DW_TAG_subprogram);
}

static void read_wanted(struct collector *x, struct cursor *c, const struct abbrev *one,
			uint64_t offset)
{
	struct named_function f = {.offset = offset};

	for (uint32_t i = 0; i < one->count && !c->broken; i++) {
		const struct abbrev_attr *attr = &x->abbrevs->attrs.items[one->first + i];
		struct attr value = {0};

		if (attr->slot != DIE_NAME && attr->slot != DIE_ORIGIN) {
			f.code |= means_code(one->tag, attr->slot);
			skip(x, c, attr);
			continue;
		}
		attr_read(x->abbrevs, x->u, c, attr, &value);
		if (attr->slot == DIE_NAME)
			f.name = die_text(x->t, x->u, &value);
		else
			f.origin = value.form == DW_FORM_ref_sig8 ? UINT64_MAX : value.number;
	}
	f.code = f.code && index_names_is_function(one->tag);
	if (f.name)
		add_name(x, f.name, f.code);
	if (index_names_is_function(one->tag))
		*array_add(&x->functions) = f;
}

static void read_die(struct collector *x, struct cursor *c)
{
	uint64_t offset = dies_offset(x->u, c->at), code = cursor_uleb(c);
	const struct abbrev *one = code ? abbrev_find(x->abbrevs, code) : NULL;

	if (!code)
		return;
	if (!one) {
		cursor_break(c);
	} else if (x->wanted.items[one - x->abbrevs->list.items]) {
		read_wanted(x, c, one, offset);
	} else if (one->fixed >= 0) {
		cursor_take(c, (uint64_t)one->fixed);
	} else {
		for (uint32_t i = 0; i < one->count && !c->broken; i++)
			skip(x, c, &x->abbrevs->attrs.items[one->first + i]);
	}
}

/* ---- one unit ------------------------------------------------------------------------------- */

static const char *name_of_origin(struct collector *x, const struct named_function *f)
{
	for (int i = 0; i < CHAIN_MOST && !f->name && f->origin; i++) {
		size_t at = array_below(&x->functions, offset, f->origin);

		if (at == x->functions.count || x->functions.items[at].offset != f->origin) {
			x->unsure = true;
			return NULL;
		}
		f = &x->functions.items[at];
	}
	return f->name;
}

static void name_functions(struct collector *x)
{
	array_each(const struct named_function, f, &x->functions) {
		const char *name = f->code && !f->name ? name_of_origin(x, f) : NULL;

		if (name)
			add_name(x, name, true);
	}
	x->functions.count = 0;
}

static bool take_abbrevs(struct collector *x)
{
	ERROR(ignored);

	if (x->abbrevs && abbrevs_serve(x->abbrevs, x->u))
		return true;
	if (x->abbrevs)
		abbrevs_free(x->abbrevs);
	x->abbrevs = abbrevs_new(x->t, x->u, &ignored);
	x->wanted.count = 0;
	for (size_t i = 0; x->abbrevs && i < x->abbrevs->list.count; i++)
		*array_add(&x->wanted) =
			index_names_is_wanted(x->abbrevs, &x->abbrevs->list.items[i]);
	return x->abbrevs;
}

static bool collect_unit(struct collector *x)
{
	struct cursor c = {.at = dies_bytes(x->u, x->u->first), .end = dies_bytes(x->u, x->u->end)};

	x->slots_used = 0;
	if (!take_abbrevs(x))
		return false;
	while (c.at < c.end)
		read_die(x, &c);
	name_functions(x);
	return !c.broken;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool collect_all(struct collector *x)
{
	struct pass pass = {x->t->own.info.bytes};

	for (size_t i = 0; i < x->t->units.count; i++) {
		x->number = (uint32_t)i;
		x->u = &x->t->units.items[i];
		if (!collect_unit(x) || x->all.count > NAMES_MOST)
			return false;
		pass_to(&pass, dies_bytes(x->u, x->u->end));
	}
	return true;
}

static int by_hash(const void *a, const void *b)
{
	const struct name_unit *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void make_lists(struct collector *x, struct index_names *out)
{
	array_sort(&x->all, by_hash);
	array_each(const struct name_unit, n, &x->all) {
		size_t heads = out->heads.count;

		if (!heads || out->heads.items[heads - 1].hash != n->hash)
			*array_add(&out->heads) =
				(struct name_head){n->hash, (uint32_t)out->lists.count};
		*array_add(&out->lists) = n->unit | x->unsure;
	}
	*array_add(&out->heads) = (struct name_head){UINT32_MAX, (uint32_t)out->lists.count};
}

bool index_collect(struct die_table *t, struct index_names *out)
{
	struct collector x = {.t = t};
	bool done = collect_all(&x);

	if (done)
		make_lists(&x, out);
	if (x.abbrevs)
		abbrevs_free(x.abbrevs);
	array_fini(&x.wanted);
	array_fini(&x.all);
	array_fini(&x.functions);
	base_free(x.slots);
	return done;
}

void index_names_fini(struct index_names *n)
{
	array_fini(&n->heads);
	array_fini(&n->lists);
}
