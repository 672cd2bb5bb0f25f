/* Variables from their DIEs, and a module's cache of resolved variables. */
#include "tracer/base/hash.h"
#include "tracer/inspect/variables/variables.h"

#include <libdwarf/dwarf.h>

#include <string.h>

/* ---- from a DIE ----------------------------------------------------------------------------- */

static int take_constant(const struct entry *e, const struct attr *a, struct variable *out)
{
	const char *text = a->block ? NULL : entry_text(e, DW_AT_const_value);

	out->kind = VARIABLE_CONSTANT;
	out->unit = e->unit;
	out->number = a->number;
	out->code = text ? (const uint8_t *)text : a->block;
	out->size = text ? strlen(text) + 1 : a->size;
	return 0;
}

int variable_of_entry(const struct entry *e, uint64_t offset, struct variable *out,
		      struct error *err)
{
	struct entry holder;
	ERROR(ignored);
	const struct attr *a;

	memset(out, 0, sizeof(*out));
	out->kind = VARIABLE_OPTIMISED_OUT;
	out->module = e->table->module;
	out->unit = e->unit;
	out->entry = e->offset;
	out->type = type_of_entry(e, err);
	if (!out->type)
		return -1;
	a = entry_inherited(e, DW_AT_location, &holder, &ignored);
	if (a) {
		if (loclist_find(&holder, a, offset, &out->code, &out->size, err) < 0)
			return -1;
		out->unit = holder.unit;
		out->kind = out->code && out->size ? VARIABLE_PLACED : VARIABLE_OPTIMISED_OUT;
		return 0;
	}
	a = entry_inherited(e, DW_AT_const_value, &holder, &ignored);
	return a ? take_constant(&holder, a, out) : 0;
}

void variable_free(struct variable *v)
{
	if (!v)
		return;
	variable_free(v->object);
	base_free(v->path[0]);
	base_free(v->path[1]);
	base_free(v->name);
	base_free(v);
}

/* ---- cache ---------------------------------------------------------------------------------- */

static size_t variables_kept_hash_of(uint64_t offset, unsigned depth, const char *name)
{
	return hash_slot(hash_text(hash_word(HASH_START, offset) + depth, name));
}

/* Returns the variable's slot, or the empty slot for it. The table must have slots. */
static struct variable **variables_kept_slot_of(const struct variable_table *t, uint64_t offset,
						unsigned depth, const char *name)
{
	size_t mask = t->slot_count - 1, i = variables_kept_hash_of(offset, depth, name) & mask;

	for (; t->slots[i]; i = (i + 1) & mask) {
		const struct variable *v = t->slots[i];

		if (v->offset == offset && v->depth == depth && strcmp(v->name, name) == 0)
			break;
	}
	return &t->slots[i];
}

static void make_room(struct variable_table *t)
{
	struct variable **old = t->slots;
	size_t count = t->slot_count;

	if (t->used * 2 < t->slot_count)
		return;
	t->slot_count = count ? count * 2 : 64;
	t->slots = base_alloc(t->slot_count, sizeof(*t->slots));
	for (size_t i = 0; i < count; i++) {
		if (old[i])
			*variables_kept_slot_of(t, old[i]->offset, old[i]->depth, old[i]->name) =
				old[i];
	}
	base_free(old);
}

struct variable *variable_kept(const struct variable_at *at, const char *name)
{
	const struct die_table *dies = at->module ? at->module->dies : NULL;
	const struct variable_table *t = dies ? dies->variables : NULL;
	struct variable *v;
	uint64_t bias;

	if (!t || !t->slot_count)
		return NULL;
	v = *variables_kept_slot_of(t, at->offset, at->depth, name);
	return v && (!v->main || v->main == dwarf_module(at->program, 0, &bias)) ? v : NULL;
}

struct variable *variable_keep(const struct variable_at *at, const char *name,
			       const struct variable *found, struct error *err)
{
	struct variable_table *t = variable_table(at->module, err);
	struct variable *v, **slot;

	if (!t)
		return NULL;
	v = base_alloc(1, sizeof(*v));
	*v = *found;
	v->name = base_strdup(name);
	v->offset = at->offset;
	v->depth = at->depth;
	make_room(t);
	slot = variables_kept_slot_of(t, at->offset, at->depth, name);
	t->used += !*slot;
	variable_free(*slot);
	return *slot = v;
}
