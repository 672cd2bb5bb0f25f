/* hit.var.NAME and hit.arg[i]: from a name to a variable, kept, and on to its value. */
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

/* Of two with one name in one block the one that lives. */
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

static int find_local(const struct code_place *p, const char *name, struct variable *out,
		      struct error *err)
{
	struct scope_search s = {.place = p, .name = name, .out = out};
	struct local_walk w = {.found = match_local, .ctx = &s};

	for (size_t i = 0; i < p->count && !s.any; i++) {
		if (place_walk(p, i, &w, err) < 0)
			return -1;
	}
	return s.any;
}

/* ---- from the name to the variable ---------------------------------------------------------- */

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

static int find_wanted(const struct code_place *p, const struct wanted_variable *w,
		       struct variable *out, struct error *err)
{
	bool plain = !w->file && !w->space[0] && !w->global;
	int answer = plain ? find_local(p, w->last, out, err) : 0;

	if (answer == 0 && plain)
		answer = variable_of_object(p, w->last, out, err);
	if (answer == 0)
		answer = global_in_sight(p, w, out, err);
	if (answer == 0)
		answer = global_of_symbols(p->program, w, out, err);
	return answer;
}

static int variables_find(const struct code_place *p, const char *name, struct variable *out,
			  struct error *err)
{
	struct wanted_variable w;
	int answer;

	memset(out, 0, sizeof(*out));
	wanted_split(name, &w);
	answer = find_wanted(p, &w, out, err);
	wanted_fini(&w);
	return answer;
}

/* Does its value depend on what the caller's call site tells? */
static bool needs_caller(const struct variable *v)
{
	return v->kind == VARIABLE_PLACED && v->size &&
	       (v->code[0] == DW_OP_entry_value || v->code[0] == DW_OP_GNU_entry_value);
}

/* Says whose value it is that cannot be told. */
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

int inspect_variable(const struct inspect_call *call, const char *name, struct inspect_value *out,
		     struct error *err)
{
	const struct dwarf_frame *f = &call->frame;
	const struct variable_at at = at_call(call);
	struct variable *v, found;
	struct code_place p;
	int answer;

	if (!f->module)
		return inspect_global(f->program, f->thread, name, out, err);
	v = variable_kept(&at, name);
	if (v)
		return variables_value_of(call, NULL, v, name, out, err);
	if (place_of_call(call, &p, err) < 0)
		return -1;
	answer = variables_find(&p, name, &found, err);
	if (answer < 0)
		return -1;
	if (answer == 0)
		return variable_unknown(&p, name, err);
	v = variable_keep(&at, name, &found, err);
	return v ? variables_value_of(call, &p, v, name, out, err) : -1;
}

int inspect_variable_local(const struct inspect_call *call, const char *name,
			   struct inspect_value *out, struct error *err)
{
	const struct variable_at at = at_call(call);
	struct variable *v = call->frame.module ? variable_kept(&at, name) : NULL, found;
	struct wanted_variable w;
	struct code_place p;
	int answer;

	if (!call->frame.module)
		return -1;
	if (v)
		return variables_value_of(call, NULL, v, name, out, err);
	if (place_of_call(call, &p, err) < 0)
		return -1;
	memset(&found, 0, sizeof(found));
	wanted_split(name, &w);
	answer = w.file || w.space[0] || w.global ? 0 : find_local(&p, w.last, &found, err);
	if (answer == 0 && !w.file && !w.space[0] && !w.global)
		answer = variable_of_object(&p, w.last, &found, err);
	wanted_fini(&w);
	if (answer <= 0)
		return -1;
	v = variable_keep(&at, name, &found, err);
	return v ? variables_value_of(call, &p, v, name, out, err) : -1;
}

bool inspect_variable_known(const struct inspect_call *call, const char *name)
{
	const struct variable_at at = at_call(call);

	return variable_kept(&at, name) != NULL;
}

/* ---- arguments ------------------------------------------------------------------------------ */

struct argument_search {
	const struct code_place *place;
	int64_t left, count;
	uint64_t wanted; /* the entry found in the abstract function */
	struct variable *out;
	const char *name;
	bool found;
};

/* The i-th of the abstract function (the concrete one may have lost some), or the function. */
static int count_argument(struct local_walk *w, const struct local *l, struct error *err)
{
	struct argument_search *s = w->ctx;

	(void)err;
	if (!l->argument || l->artificial)
		return 0;
	s->count++;
	if (s->left-- == 0) {
		s->wanted = l->entry->offset;
		s->name = l->name;
	}
	return 0;
}

/* Is the entry, or what it is a copy of, the one that is wanted? */
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

int place_whole_function(const struct code_place *p, uint64_t *out, struct error *err)
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

static int no_arguments(int64_t i, struct error *err)
{
	char what[32];

	snprintf(what, sizeof(what), "argument %lld", (long long)i);
	return untyped_error(what, "what the function takes is not known", err);
}

static int find_argument(const struct code_place *p, int64_t i, struct argument_search *s,
			 struct error *err)
{
	struct local_walk count = {.found = count_argument, .ctx = s};
	struct local_walk take = {.found = take_argument, .ctx = s};
	struct code_place whole = *p;

	s->place = p;
	s->left = i;
	whole.count = 1;
	if (place_whole_function(p, &whole.levels[0], err) < 0 ||
	    place_walk(&whole, 0, &count, err) < 0)
		return -1;
	if (!s->count && untyped_at(p->module, p->offset))
		return no_arguments(i, err);
	if (i < 0 || i >= s->count)
		return error_set(err, ERROR_STATE, "no argument %lld: the function here has %lld",
				 (long long)i, (long long)s->count);
	if (place_walk(p, p->count - 1, &take, err) < 0)
		return -1;
	if (!s->found)
		return error_set(err, ERROR_STATE, "argument %lld: optimised out at this line",
				 (long long)i);
	return 0;
}

/* Without DWARF: where the System V ABI has the integer arguments, before the first instruction has
   run. */
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
	struct argument_search s = {.count = 0};
	struct variable found, *v;
	struct code_place p;
	char key[32]; /* no variable is called that */

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
	s.out = &found;
	if (find_argument(&p, i, &s, err) < 0)
		return -1;
	v = variable_keep(&at, key, &found, err);
	return v ? variables_value_of(call, &p, v, s.name ? s.name : key, out, err) : -1;
}
