/* FUNC%call(CALLEE): the instructions of a function that call another one. #K counts the calls in
   source order: by line and column, for all copies of the function together. */
#include "tracer/source/lines/resolve.h"

#include "tracer/arch/arch.h"

#include <string.h>

enum { NAMED_CALLS = 12 };

/* A call instruction, or a jump that ends the function with a call. */
struct call_place {
	const struct instance *instance;
	uint64_t offset;
	unsigned length;
	const char *file; /* NULL if unknown */
	unsigned line, column;
	unsigned again; /* earlier calls of the instance at the same line and column */
};

struct call_places {
	struct call_place *items;
	size_t count, capacity;
};

struct calls {
	struct resolver *r;
	struct name_parts wanted; /* CALLEE */
	struct call_places found;
	struct str others; /* names of other functions that are called */
	unsigned named;
};

/* ---- the called function -------------------------------------------------------------------- */

/* Returns the readable name of the function that begins at the offset, or NULL; the caller frees
   it. */
static char *name_at(struct calls *c, struct module *m, uint64_t offset)
{
	struct scope_ref stack[FUNCTIONS_DEEP];
	int depth = resolve_stack(c->r, m, offset, stack);
	const struct elf_symbol *symbol = module_symbol_at(m, offset, true);
	struct function f;

	if (depth > 0 && scope_entry(stack[depth - 1]) == offset &&
	    resolve_function(c->r, m, stack[depth - 1], &f) && f.name)
		return base_strdup(f.name);
	return symbol && symbol->offset == offset ? names_of_symbol(symbol->name) : NULL;
}

/* Returns the name of the function that the instruction calls, or NULL; the caller frees it. */
static char *callee_of(struct calls *c, struct module *m, uint64_t at, const struct arch_insn *in)
{
	uint64_t slot = call_slot(m, at, in);
	const char *symbol = slot ? module_got_name(m, slot) : NULL;

	return symbol ? names_of_symbol(symbol) : in->target ? name_at(c, m, in->target) : NULL;
}

/* A symbol of the same address may have the name: a weak alias in a static program. */
static bool is_alias(const struct calls *c, struct module *m, uint64_t target)
{
	uint64_t offset;

	return target && module_symbol(m, c->r->location->search, &offset, NULL) == 0 &&
	       offset == target;
}

static void note_other(struct calls *c, const char *name)
{
	STR(listed);

	str_addf(&listed, " %s,", name);
	if (c->named == NAMED_CALLS || strstr(str_text(&c->others), str_text(&listed)))
		return;
	str_add(&c->others, str_text(&listed));
	c->named++;
}

static bool is_wanted(struct calls *c, struct module *m, uint64_t at, const struct arch_insn *in)
{
	OWNED(name) = callee_of(c, m, at, in);

	if (is_alias(c, m, in->target) ||
	    (name && names_match(&c->wanted, name) && names_match_args(&c->wanted, name)))
		return true;
	if (name)
		note_other(c, name);
	return false;
}

/* ---- the calls of an instance --------------------------------------------------------------- */

static bool may_call(const struct flow_ranges *code, const struct arch_insn *in)
{
	switch (in->flow) {
	case ARCH_FLOW_CALL:
	case ARCH_FLOW_CALL_INDIRECT:
		return true;
	case ARCH_FLOW_JUMP:
		return !flow_in_ranges(code, in->target);
	default:
		return in->flow == ARCH_FLOW_JUMP_INDIRECT && !in->may_be_table;
	}
}

/* True if the offset is code of the instance itself, not of a function inlined into it. */
static bool is_own(struct resolver *r, const struct instance *i, uint64_t offset)
{
	struct scope_ref stack[FUNCTIONS_DEEP];

	return !i->scope.scope ||
	       (resolve_stack(r, i->module, offset, stack) > 0 && stack[0].scope == i->scope.scope);
}

static void add_call(struct calls *c, const struct instance *i, uint64_t at,
		     const struct arch_insn *in)
{
	struct line_unit *l = i->scope.scope ? unit_lines(c->r, i->module, i->scope.unit) : NULL;
	const struct line_row *row = l ? lines_row_at(l, at) : NULL;
	struct call_place place = {.instance = i, .offset = at, .length = in->length};

	if (row) {
		place.file = lines_file(l, row->file);
		place.line = row->line;
		place.column = row->column;
	}
	/* Optimised code repeats a call of the source, as in an unrolled loop. */
	if (!l || !row || !row->column || lines_all_stmt(l))
		array_each(const struct call_place, known, &c->found)
			place.again += known->instance == i && known->line == place.line &&
				       known->column == place.column;
	*array_add(&c->found) = place;
}

static void calls_in_range(struct calls *c, const struct instance *i,
			   const struct flow_ranges *code, const struct module_range *range)
{
	const struct flow *flow = flow_for(i->module, code);
	struct arch_deed deed;
	struct arch_insn in;

	for (uint64_t at = range->low; at < range->high; at += in.length) {
		if (!flow_decode(i->module, at, &in, &deed) || !in.length)
			return;
		if (flow_is_insn(flow, at) && may_call(code, &in) && is_own(c->r, i, at) &&
		    is_wanted(c, i->module, at, &in))
			add_call(c, i, at, &in);
	}
}

static void calls_of_instance(struct calls *c, const struct instance *i)
{
	struct module_range of_symbol[2];
	const struct flow_ranges own = i->scope.scope
					       ? scope_code(i->scope)
					       : symbol_ranges(i->module, i->symbol, of_symbol);
	const struct flow_ranges code =
		i->scope.scope ? scope_code(function_outermost(i->scope)) : own;

	for (size_t k = 0; k < own.count; k++)
		calls_in_range(c, i, &code, &own.items[k]);
}

/* ---- #K ------------------------------------------------------------------------------------- */

static int same_call(const void *a, const void *b)
{
	const struct call_place *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return (x->again > y->again) - (x->again < y->again);
}

static size_t count_calls(const struct calls *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->found.count; i++)
		n += i == 0 || same_call(&c->found.items[i - 1], &c->found.items[i]) != 0;
	return n;
}

static void calls_add_places(const struct calls *c, struct str *out)
{
	for (size_t i = 0, n = 0; i < c->found.count && n < NAMED_CALLS; i++) {
		const struct call_place *p = &c->found.items[i];

		if (i > 0 && same_call(p - 1, p) == 0)
			continue;
		str_addf(out, "%s #%zu", n ? "," : "", n + 1);
		n++;
		if (p->file)
			str_addf(out, " at %s:%u", str_base_name(p->file), p->line);
	}
}

static void report_count(struct calls *c, const struct location_match *match, size_t count)
{
	const struct location *l = c->r->location;
	STR(text);

	str_addf(&text, "%s: %s calls %s %zu time%s:", l->text, match->name, l->search, count,
		 count == 1 ? "" : "s");
	calls_add_places(c, &text);
	error_set(c->r->err, ERROR_LOCATION, "%s", str_text(&text));
	error_hint(c->r->err, "say which: %s%%call(%s)#1", l->name, l->search);
}

static void report_none(struct calls *c, const struct location_match *match)
{
	const struct location *l = c->r->location;

	error_set(c->r->err, ERROR_LOCATION, "%s: %s has no call of %s", l->text, match->name,
		  l->search);
	if (c->others.length)
		error_hint(c->r->err, "it calls%.*s", (int)c->others.length - 1, c->others.text);
	else
		error_hint(c->r->err, "an inlined function and one called by its address are not "
				      "found by name: use FUNC;TEXT");
}

/* ---- sites ---------------------------------------------------------------------------------- */

void call_sites(struct resolver *r, const struct location_match *match, struct source_sites *out)
{
	struct calls c = {.r = r};
	unsigned wanted = r->location->match;
	size_t count, n = 0;

	names_split(r->location->search, &c.wanted);
	array_each(const struct instance, i, &match->instances)
		calls_of_instance(&c, i);
	array_sort(&c.found, same_call);
	count = count_calls(&c);
	if (!count && !r->err->code)
		report_none(&c, match);
	else if (wanted > count || (!wanted && count > 1))
		report_count(&c, match, count);
	for (size_t i = 0; i < c.found.count && !r->err->code; i++) {
		const struct call_place *p = &c.found.items[i];

		n += i == 0 || same_call(p - 1, p) != 0;
		if (n == (wanted ? wanted : 1))
			instruction_site(r, p->instance->module, p->offset, p->length, out);
	}
	array_fini(&c.found);
	str_fini(&c.others);
	names_fini(&c.wanted);
}
