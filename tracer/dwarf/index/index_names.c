/*
 * Index of names: one pass over all DIEs that reads only their names and whether a function has
 * code. A function with code may get its name from another DIE (abstract function, class), which
 * is looked up when the unit has been read.
 */
#include "tracer/dwarf/units/units.h"
#include "tracer/dwarf/index/index_internal.h"
#include "tracer/elf/module.h"

#include <libdwarf/dwarf.h>

#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 32 << 20, CHAIN_MOST = 16 };

/* A name's hash, and INDEX_UNIT() of a unit. */
struct name_unit {
	uint32_t hash, unit;
};

struct name_slot {
	uint32_t hash, unit, at; /* unit: plus one, else the slot is free; at: in `all` */
};

struct named_function {
	uint64_t offset, origin;
	const char *name; /* NULL: the origin has the name */
	bool code;
};

struct collector {
	struct die_table *t;
	const struct die_unit *u;
	uint32_t number; /* index of the unit */
	struct abbrevs *abbrevs;
	ARRAY(bool) wanted;			/* by abbreviation: it has something to read */
	ARRAY(struct name_unit) all;		/* by unit, each hash once in a unit */
	struct name_slot *slots;		/* names of this unit, by hash */
	size_t slot_count, slots_used;		/* slot_count is a power of two */
	ARRAY(struct named_function) functions; /* of this unit, by offset */
	bool unsure; /* a function's name is unknown: any unit may have functions of any name */
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

/* Adds a name, and its beginning without template arguments and [abi:...], which searches leave
   out. An operator's name may have such characters itself, so all its beginnings are added. */
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

/* True for names that no other unit refers to. */
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

/* True for attributes of code, in this DIE or in inlined copies of it. */
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
			attr_skip(x->abbrevs, x->u, c, attr);
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
			attr_skip(x->abbrevs, x->u, c, &x->abbrevs->attrs.items[one->first + i]);
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

/* ---- all units ------------------------------------------------------------------------------ */

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

static bool index_collect(struct die_table *t, struct index_names *out)
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

static void index_names_fini(struct index_names *n)
{
	array_fini(&n->heads);
	array_fini(&n->lists);
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Collects the names and keeps them for this run and later ones. */
static void make_names(struct die_table *t)
{
	struct index_names names = {0};

	t->kept->tried = true;
	if (!cache_usable() || !index_collect(t, &names))
		return;
	if (index_write(t, &names)) {
		cache_close(t->kept->cache);
		t->kept->cache = cache_open(t->kept->name, INDEX_FORMAT);
	}
	index_names_fini(&names);
}

bool index_has_names(const struct die_table *t)
{
	return t->kept && t->kept->cache && cache_size(t->kept->cache, INDEX_HEADS);
}

static const struct name_head *head_at(struct dwarf_index *x, uint64_t i)
{
	return cache_bytes(x->cache, INDEX_HEADS, i * sizeof(struct name_head),
			   2 * sizeof(struct name_head));
}

/* Finds the head with this hash; the next head follows it. Returns true with *out NULL if no name
   has the hash, false if the cache cannot be read. */
static bool find_head(struct dwarf_index *x, uint32_t hash, const struct name_head **out)
{
	uint64_t low = 0, high = cache_size(x->cache, INDEX_HEADS) / sizeof(**out) - 1;

	*out = NULL;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct name_head *head = head_at(x, middle);

		if (!head)
			return false;
		if (head->hash == hash) {
			*out = head;
			return true;
		}
		if (head->hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return true;
}

static bool mark_list(struct dwarf_index *x, const struct name_head *head, bool functions,
		      bool *marks, size_t count)
{
	uint64_t n = head[1].first > head[0].first ? head[1].first - head[0].first : 0;
	const uint32_t *list = cache_bytes(
		x->cache, INDEX_LISTS, (uint64_t)head->first * sizeof(*list), n * sizeof(*list));

	for (uint64_t i = 0; list && i < n; i++)
		if ((!functions || list[i] & 1) && list[i] >> 1 < count)
			marks[list[i] >> 1] = true;
	return list;
}

/* Returns false for names that are collected only in part. Operators are collected whole. */
static bool is_collected(const char *name)
{
	return !strpbrk(name, "<[") || strncmp(name, "operator", 8) == 0;
}

bool index_mark_named(struct die_table *t, const char *name, bool functions, bool *marks)
{
	const struct name_head *head;

	if (!t->kept || !is_collected(name))
		return false;
	if (!index_has_names(t) && !t->kept->tried)
		make_names(t);
	if (!index_has_names(t) || !find_head(t->kept, index_hash(name), &head))
		return false;
	return !head || mark_list(t->kept, head, functions, marks, t->units.count);
}
