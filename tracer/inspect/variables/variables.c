/* hit.var.NAME and hit.arg[i]: resolve a name, keep the result, and read the value. */
#include "tracer/inspect/variables/variables.h"

#include <libdwarf/dwarf.h>

#include <stdio.h>
#include <string.h>

static struct variable_at at_call(const struct inspect_call *call)
{
	const struct dwarf_frame *f = &call->frame;

	return (struct variable_at){f->program, f->module, f->lookup_pc - f->bias, call->depth};
}

/* ---- locals --------------------------------------------------------------------------------- */

struct scope_search {
	const struct code_place *place;
	const char *name;
	struct variable *out;
	bool any;
};

int variable_of_local(const struct code_place *p, const struct local *l, struct variable *out,
		      struct error *err)
{
	if (variable_of_entry(l->entry, p->offset, out, err) < 0)
		return -1;
	out->function = function_outermost(p->self).scope->offset;
	if (l->absent && out->kind != VARIABLE_CONSTANT && !variable_static_address(out, NULL))
		out->kind = VARIABLE_OPTIMISED_OUT;
	if (out->kind == VARIABLE_OPTIMISED_OUT && p->program &&
	    entry_flag(l->entry, DW_AT_declaration))
		return global_defined(p->program, l->entry, out, err) < 0 ? -1 : 0;
	return 0;
}

static int match_unnamed(struct scope_search *s, const struct local *l, struct error *err)
{
	struct variable whole;

	if (l->argument || l->absent)
		return 0;
	if (variable_of_local(s->place, l, &whole, err) < 0)
		return -1;
	if (s->any || !variable_of_union(&whole, s->name, s->out))
		return 0;
	s->any = true;
	return 1;
}

/* Matches a local variable. Of two with one name in a block, the one with a value is taken. */
static int match_local(struct local_walk *w, const struct local *l, struct error *err)
{
	struct scope_search *s = w->ctx;
	struct variable found;

	if (!l->name || !*l->name)
		return match_unnamed(s, l, err);
	if (strcmp(l->name, s->name) != 0)
		return 0;
	if (variable_of_local(s->place, l, &found, err) < 0)
		return -1;
	if (!s->any || found.kind != VARIABLE_OPTIMISED_OUT)
		*s->out = found;
	s->any = true;
	return found.kind != VARIABLE_OPTIMISED_OUT;
}

static int find_local(const struct code_place *p, const struct wanted_variable *wanted,
		      struct variable *out, struct error *err)
{
	struct scope_search s = {.place = p, .name = wanted->last, .out = out};
	struct local_walk w = {.found = match_local, .ctx = &s};

	for (size_t i = 0; i < p->count && !s.any; i++) {
		if (place_walk(p, i, &w, err) < 0)
			return -1;
	}
	return s.any;
}

static int find_symbol(const struct code_place *p, const struct wanted_variable *wanted,
		       struct variable *out, struct error *err)
{
	return global_of_symbols(p->program, wanted, out, err);
}

/* ---- resolution of a name ------------------------------------------------------------------- */

static int place_of_call(const struct inspect_call *call, struct code_place *out, struct error *err)
{
	const struct dwarf_frame *f = &call->frame;

	if (place_find(f->module, f->lookup_pc - f->bias, call->depth, out, err) < 0)
		return -1;
	out->program = f->program;
	out->file = call->file;
	out->line = call->line;
	return 0;
}

/* Sources of a name, in the order in which they are tried. */
static const struct variable_source {
	bool local; /* only a name without a namespace or file can be there */
	int (*find)(const struct code_place *p, const struct wanted_variable *wanted,
		    struct variable *out, struct error *err);
} sources[] = {
	{true, find_local},
	{true, variable_of_object},
	{false, global_in_sight},
	{false, find_symbol},
};

static int variables_find(const struct code_place *p, const char *name, bool local,
			  struct variable *out, struct error *err)
{
	struct wanted_variable w;
	int answer = 0;
	bool plain;

	memset(out, 0, sizeof(*out));
	wanted_split(name, &w);
	plain = !w.file && !w.space[0] && !w.global;
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources) && answer == 0; i++)
		if (sources[i].local ? plain : !local)
			answer = sources[i].find(p, &w, out, err);
	wanted_fini(&w);
	return answer;
}

/* True if the value depends on the caller's call site (DW_OP_entry_value). */
static bool needs_caller(const struct variable *v)
{
	return v->kind == VARIABLE_PLACED && v->size &&
	       (v->code[0] == DW_OP_entry_value || v->code[0] == DW_OP_GNU_entry_value);
}

/* Adds the variable's name to the error of its value, or replaces the error by the nearest line
   that has one. */
static int name_it(const struct code_place *p, const struct variable *v, const char *name,
		   struct error *err)
{
	STR(where);

	if (needs_caller(v) && p->module == v->module && variable_nearest(p, v->entry, &where))
		error_set(err, err->code, "%s: optimised out at this line; it lives at %s", name,
			  str_text(&where));
	else
		error_set(err, err->code, "%s: %s", name, error_text(err));
	return -1;
}

static int variables_value_of(const struct inspect_call *call, const struct code_place *place,
			      const struct variable *v, const char *name, struct inspect_value *out,
			      struct error *err)
{
	const struct variable_context c = {.program = call->frame.program,
					   .thread = call->frame.thread,
					   .frame = &call->frame};
	int answer = v->kind == VARIABLE_OPTIMISED_OUT ? 1 : variable_value(&c, v, out, err);
	struct code_place again;

	if (answer == 0)
		return 0;
	if (!place) {
		ERROR(ignored);

		if (place_of_call(call, &again, answer < 0 ? &ignored : err) < 0)
			return -1;
		place = &again;
	}
	if (answer < 0)
		return name_it(place, v, name, err);
	return variable_optimised_out(place, v, name, err);
}

static int read_variable(const struct inspect_call *call, const char *name, bool local,
			 struct inspect_value *out, struct error *err)
{
	const struct variable_at at = at_call(call);
	struct variable *v = variable_kept(&at, name), found;
	struct code_place p;
	int answer;

	if (v)
		return variables_value_of(call, NULL, v, name, out, err);
	if (place_of_call(call, &p, err) < 0)
		return -1;
	answer = variables_find(&p, name, local, &found, err);
	if (answer <= 0)
		return answer < 0 || local ? -1 : variable_unknown(&p, name, err);
	v = variable_keep(&at, name, &found, err);
	return v ? variables_value_of(call, &p, v, name, out, err) : -1;
}

int inspect_variable(const struct inspect_call *call, const char *name, struct inspect_value *out,
		     struct error *err)
{
	const struct dwarf_frame *f = &call->frame;

	return f->module ? read_variable(call, name, false, out, err)
			 : inspect_global(f->program, f->thread, name, out, err);
}

int inspect_variable_local(const struct inspect_call *call, const char *name,
			   struct inspect_value *out, struct error *err)
{
	return call->frame.module ? read_variable(call, name, true, out, err) : -1;
}

bool inspect_variable_known(const struct inspect_call *call, const char *name)
{
	const struct variable_at at = at_call(call);

	return variable_kept(&at, name) != NULL;
}

/* ---- arguments ------------------------------------------------------------------------------ */

struct argument_search {
	const struct code_place *place;
	uint64_t wanted; /* DIE in the abstract function */
	struct variable *out;
	bool found;
};

/* True if the DIE or one of its abstract origins is the wanted one. */
static bool is_copy_of(const struct entry *e, uint64_t wanted)
{
	struct entry at = *e;
	ERROR(ignored);

	for (int i = 0; i < ORIGINS_MAX && at.offset != wanted; i++) {
		uint64_t origin = entry_ref(&at, DW_AT_abstract_origin);

		if (!origin || entry_read(e->table, origin, &at, &ignored) < 0)
			return false;
	}
	return at.offset == wanted;
}

static int take_argument(struct local_walk *w, const struct local *l, struct error *err)
{
	struct argument_search *s = w->ctx;

	if (!is_copy_of(l->entry, s->wanted))
		return 0;
	if (variable_of_local(s->place, l, s->out, err) < 0)
		return -1;
	s->found = true;
	return 1;
}

/* Finds the DIE that has the complete list of arguments: the abstract origin. */
static int whole_function(const struct code_place *p, uint64_t *out, struct error *err)
{
	struct entry e;

	*out = p->self.scope->offset;
	for (int i = 0; i < ORIGINS_MAX; i++) {
		uint64_t origin;

		if (entry_read(p->table, *out, &e, err) < 0)
			return -1;
		origin = entry_ref(&e, DW_AT_abstract_origin);
		if (!origin)
			break;
		*out = origin;
	}
	return 0;
}

static int note_argument(struct local_walk *w, const struct local *l, struct error *err)
{
	struct place_arguments *all = w->ctx;

	(void)err;
	if (l->argument)
		*array_add(all) = (struct place_argument){l->name, l->entry->offset, l->artificial};
	return 0;
}

int place_arguments(const struct code_place *p, struct place_arguments *out, struct error *err)
{
	struct local_walk walk = {.found = note_argument, .ctx = out};
	struct code_place whole = *p;

	whole.count = 1;
	return whole_function(p, &whole.levels[0], err) < 0 ? -1
							    : place_walk(&whole, 0, &walk, err);
}

static int no_arguments(int64_t i, struct error *err)
{
	char what[32];

	snprintf(what, sizeof(what), "argument %lld", (long long)i);
	return untyped_error(what, "what the function takes is not known", err);
}

/* Finds the i-th argument in the abstract function, because a copy may have lost some. */
static int find_argument(const struct code_place *p, int64_t i, struct argument_search *s,
			 const char **name, struct error *err)
{
	struct local_walk take = {.found = take_argument, .ctx = s};
	struct place_arguments all = {0};
	int64_t count = 0;
	int answer = place_arguments(p, &all, err);

	array_each(const struct place_argument, a, &all) {
		if (a->artificial || count++ != i)
			continue;
		s->wanted = a->entry;
		*name = a->name;
	}
	array_fini(&all);
	if (answer < 0)
		return -1;
	if (!count && untyped_at(p->module, p->offset))
		return no_arguments(i, err);
	if (i < 0 || i >= count)
		return error_set(err, ERROR_STATE, "no argument %lld: the function here has %lld",
				 (long long)i, (long long)count);
	if (place_walk(p, p->count - 1, &take, err) < 0)
		return -1;
	if (!s->found)
		return error_set(err, ERROR_STATE, "argument %lld: optimised out at this line",
				 (long long)i);
	return 0;
}

/* Reads an integer argument of a function without DWARF from its register (System V ABI), at the
   function's first instruction. */
static int argument_of_abi(const struct inspect_call *call, int64_t i, struct inspect_value *out,
			   struct error *err)
{
	static const uint8_t registers[] = {5, 4, 1, 2, 8, 9}; /* rdi rsi rdx rcx r8 r9 */
	const struct dwarf_frame *f = &call->frame;
	const struct elf_symbol *s = NULL;

	if (untyped_at(f->module, f->lookup_pc - f->bias))
		return no_arguments(i, err);
	if (f->module)
		s = module_symbol_at(f->module, f->pc - f->bias, true);
	if (f->level != 0 || !s || f->pc - f->bias != s->offset)
		return error_set(err, ERROR_STATE,
				 "no arguments here: there is no debug information, and this is "
				 "not a function's first instruction");
	if (i < 0 || i >= (int64_t)sizeof(registers))
		return error_set(err, ERROR_STATE,
				 "no argument %lld: without debug information the first %zu are "
				 "known",
				 (long long)i, sizeof(registers));
	*out = value_of_bytes(f->program, type_builtin("long"), &f->regs[registers[i]], 8);
	out->reg = registers[i];
	out->thread = f->thread;
	return 0;
}

int inspect_argument(const struct inspect_call *call, int64_t i, struct inspect_value *out,
		     struct error *err)
{
	const struct variable_at at = at_call(call);
	struct variable found, *v;
	struct code_place p;
	struct argument_search s = {.place = &p, .out = &found};
	const char *name = NULL;
	char key[32]; /* no variable has such a name */

	if (!at.module)
		return argument_of_abi(call, i, out, err);
	snprintf(key, sizeof(key), "argument %lld", (long long)i);
	v = variable_kept(&at, key);
	if (v)
		return variables_value_of(call, NULL, v, key, out, err);
	if (place_of_call(call, &p, err) < 0)
		return -1;
	if (!p.self.scope)
		return argument_of_abi(call, i, out, err);
	if (find_argument(&p, i, &s, &name, err) < 0)
		return -1;
	v = variable_keep(&at, key, &found, err);
	return v ? variables_value_of(call, &p, v, name ? name : key, out, err) : -1;
}
