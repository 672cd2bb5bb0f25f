/* Arrays whose bounds the program has worked out (C's variable-length arrays). */
#include "tracer/inspect/variables/variables.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { DIMENSIONS_MAX = 8 };

/* A bound is an expression, or another (artificial) variable that holds it. */
static int bound_value(const struct expression *m, const struct variable_context *c,
		       const struct entry *range, const struct attr *a, int64_t *out,
		       struct error *err)
{
	struct inspect_value value;
	struct variable bound;
	struct entry e;
	uint64_t number;
	int answer;

	*out = (int64_t)a->number;
	if (a->block) {
		if (expression_value(m, a->block, a->size, NULL, &number, err) < 0)
			return -1;
		*out = (int64_t)number;
		return 1;
	}
	if (a->form != DW_FORM_ref4 && a->form != DW_FORM_ref_udata &&
	    a->form != DW_FORM_ref_addr && a->form != DW_FORM_ref1 && a->form != DW_FORM_ref2 &&
	    a->form != DW_FORM_ref8)
		return 1;
	if (entry_read(range->table, a->number, &e, err) < 0 ||
	    variable_of_entry(&e, c->frame ? c->frame->lookup_pc - c->frame->bias : 0, &bound,
			      err) < 0)
		return -1;
	bound.function = m->function;
	answer = variable_value(c, &bound, &value, err);
	if (answer != 0)
		return answer < 0 ? -1 : 0;
	number = 0;
	if (!bound.type->size || bound.type->size > sizeof(number) ||
	    value_read(&value, 0, &number, (size_t)bound.type->size, err) < 0)
		return -1;
	*out = (int64_t)number;
	return 1;
}

/* How many elements one dimension has; 0: that is not said. */
static int count_of(const struct expression *m, const struct variable_context *c,
		    const struct entry *range, uint64_t *out, struct error *err)
{
	const struct attr *a = entry_attr(range, DW_AT_count);
	bool upper = !a;
	int64_t bound;
	int answer;

	if (!a)
		a = entry_attr(range, DW_AT_upper_bound);
	if (!a)
		return 0;
	answer = bound_value(m, c, range, a, &bound, err);
	if (answer <= 0)
		return answer;
	if (bound < (upper ? -1 : 0) || bound > INT32_MAX)
		return 0;
	*out = (uint64_t)(bound + upper);
	return 1;
}

/* All dimensions, the outermost first; how many, 0: one of them is not known. */
static int read_counts(const struct expression *m, const struct variable_context *c,
		       const struct entry *array, uint64_t counts[DIMENSIONS_MAX],
		       struct error *err)
{
	struct entry child;
	uint64_t next = 0;
	int n = 0, more = 1;

	while (n < DIMENSIONS_MAX && (more = entry_child(array, &next, &child, err)) > 0) {
		int answer = 1;

		if (child.tag == DW_TAG_subrange_type)
			answer = count_of(m, c, &child, &counts[n++], err);
		if (answer <= 0)
			return answer;
	}
	return more < 0 ? -1 : n;
}

const struct type *variable_array(const struct expression *m, const struct variable_context *c,
				  const struct type *t, struct error *err)
{
	uint64_t counts[DIMENSIONS_MAX];
	const struct type *made;
	struct entry e;
	int n;

	if (t->kind != TYPE_ARRAY || t->has_count || !t->entry || t->module != m->module)
		return t;
	if (entry_read(m->module->dies, t->entry, &e, err) < 0)
		return NULL;
	/* A typedef stands before the array itself. */
	for (int i = 0; i < ORIGINS_MAX && e.tag != DW_TAG_array_type; i++) {
		if (!entry_ref(&e, DW_AT_type) ||
		    entry_read(e.table, entry_ref(&e, DW_AT_type), &e, err) < 0)
			return t;
	}
	n = read_counts(m, c, &e, counts, err);
	if (n <= 0)
		return n < 0 ? NULL : t;
	made = type_of_entry(&e, err);
	while (made && n-- > 0)
		made = type_array_of(made, counts[n]);
	return made;
}
