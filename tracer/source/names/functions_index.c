/* Index of all functions of a module by name. Building it reads every unit and costs more than one
   search, so it is built after many of them. */
#include "tracer/source/names/names.h"

#include "tracer/base/hash.h"
#include "tracer/dwarf/index/index.h"

#include <string.h>

enum {
	WORTH_IT = 24, /* searches before the index is built */
	/* bytes of .debug_info: its scopes take several times as much memory */
	INFO_MOST = 128 << 20,
};

struct name_entry {
	uint32_t hash, unit, scope;
};

struct function_index {
	unsigned asked;
	bool made, useless; /* useless: a unit cannot be read */
	ARRAY(struct name_entry) entries;
};

static uint32_t functions_index_hash_of(const char *name)
{
	uint32_t hash = HASH_NARROW_START;

	while (*name)
		hash = hash_narrow(hash, *name++);
	return hash;
}

/* Adds the name without template arguments and [abi:...], as searches leave these out. The name of
   an operator may contain the same characters, so all of its prefixes are added. */
static void add_name(struct function_index *x, const char *name, uint32_t unit, uint32_t scope)
{
	bool is_operator = strncmp(name, "operator", 8) == 0;
	uint32_t hash = HASH_NARROW_START;

	for (size_t i = 0; name[i]; i++) {
		char next = name[i + 1];

		hash = hash_narrow(hash, name[i]);
		if (next && !strchr("<[ ", next))
			continue;
		*array_add(&x->entries) = (struct name_entry){hash, unit, scope};
		if (!is_operator && (next == '<' || next == '['))
			break;
	}
}

static int functions_index_add_unit(struct function_index *x, struct die_table *t, uint32_t unit)
{
	struct die_unit *u = &t->units.items[unit];
	ERROR(ignored);

	if (dies_load(t, u, &ignored) < 0)
		return -1;
	for (uint32_t i = 0; i < u->scopes.count; i++) {
		struct scope *s = &u->scopes.items[i];
		const char *name = s->name;

		if (s->kind == SCOPE_SPACE || (s->kind == SCOPE_INLINED && !dies_has_code(s)))
			continue;
		if (!name && function_short_name(t, (struct scope_ref){u, s}, &name, &ignored) < 0)
			return -1;
		if (name)
			add_name(x, name, unit, i);
	}
	return 0;
}

static int by_hash(const void *a, const void *b)
{
	const struct name_entry *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->scope < y->scope ? -1 : x->scope > y->scope;
}

static void functions_index_make(struct function_index *x, struct die_table *t)
{
	x->made = true;
	for (uint32_t i = 0; i < t->units.count; i++) {
		if (functions_index_add_unit(x, t, i) < 0) {
			x->useless = true;
			array_fini(&x->entries);
			return;
		}
	}
	array_sort(&x->entries, by_hash);
}

static void function_index_free(void *data)
{
	struct function_index *x = data;

	array_fini(&x->entries);
	base_free(x);
}

bool function_index_find(struct die_table *t, const char *name, struct scope_refs *out)
{
	struct function_index *x = t->index;
	uint32_t hash = functions_index_hash_of(name);

	if (!x)
		x = t->index = cleanup_alloc(&t->cleanups, sizeof(*x), function_index_free);
	if (x->useless || t->own.info.size > INFO_MOST || index_has_names(t) ||
	    ++x->asked < WORTH_IT)
		return false;
	if (!x->made)
		functions_index_make(x, t);
	for (size_t i = array_below(&x->entries, hash, hash);
	     i < x->entries.count && x->entries.items[i].hash == hash; i++) {
		struct die_unit *u = &t->units.items[x->entries.items[i].unit];

		*array_add(out) =
			(struct scope_ref){u, &u->scopes.items[x->entries.items[i].scope]};
	}
	return !x->useless;
}
