/* Variables outside of functions: of a namespace or class, of a file, of all modules. */
#include "tracer/dwarf/units/units.h"
#include "tracer/inspect/variables/variables.h"

#include <libdwarf/dwarf.h>

#include <limits.h>
#include <string.h>

enum { SPACES_MAX = 32 };

/* ---- names ---------------------------------------------------------------------------------- */

static void join_space(const struct name_parts *parts, struct str *out)
{
	for (size_t i = 0; i + 1 < parts->parts.count; i++) {
		const struct name_part *part = &parts->parts.items[i];

		if (part->length >= 11 && strncmp(part->text, "(anonymous ", 11) == 0)
			continue;
		if (out->length)
			str_add(out, "::");
		str_add_bytes(out, part->text, part->length);
	}
}

void wanted_split(const char *text, struct wanted_variable *out)
{
	const char *close = text[0] == '\'' ? strchr(text + 1, '\'') : NULL;
	struct name_parts parts;
	struct str space = {0};

	memset(out, 0, sizeof(*out));
	out->text = text;
	if (close && close[1] == ':' && close[2] == ':') {
		out->file = base_strndup(text + 1, (size_t)(close - text - 1));
		text = close + 3;
	}
	names_split(text, &parts);
	out->global = parts.global;
	join_space(&parts, &space);
	out->space = str_take(&space);
	if (!out->space)
		out->space = base_strdup("");
	if (parts.parts.count)
		out->last = base_strndup(parts.parts.items[parts.parts.count - 1].text,
					 parts.parts.items[parts.parts.count - 1].length);
	else
		out->last = base_strdup(text);
	names_fini(&parts);
}

void wanted_fini(struct wanted_variable *w)
{
	base_free(w->file);
	base_free(w->space);
	base_free(w->last);
}

/* ---- linking -------------------------------------------------------------------------------- */

/* Finds the symbol of a global variable. */
static bool has_symbol(struct module *m, const char *linkage, uint64_t *offset)
{
	if (!linkage || module_symbol(m, linkage, offset, NULL) < 0)
		return false;
	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		if (s->offset == *offset && s->global && !s->function &&
		    strcmp(s->name, linkage) == 0)
			return true;
	}
	return false;
}

/* The executable's own symbol wins: it is a copy of a library's variable or replaces it. */
void global_link(const struct dwarf_program *program, const char *linkage, struct variable *v)
{
	uint64_t bias, offset;
	struct module *main = v->main = dwarf_module(program, 0, &bias);

	if (!main || main == v->module || !linkage || !module_has_string(main, linkage) ||
	    !has_symbol(main, linkage, &offset))
		return;
	v->kind = VARIABLE_ADDRESS;
	v->module = main;
	v->number = offset;
}

/* ---- symbols of ELF ------------------------------------------------------------------------- */

/* Returns an integer type of this size, or an array of `size` characters. */
static const struct type *type_of_size(uint64_t size)
{
	switch (size) {
	case 1:
		return type_builtin("signed char");
	case 2:
		return type_builtin("short");
	case 4:
		return type_builtin("int");
	case 8:
		return type_builtin("long");
	default:
		return type_array_of(type_builtin("char"), size);
	}
}

static bool symbol_fits(const struct elf_symbol *s, const struct wanted_variable *w)
{
	struct name_parts parts;
	char *full;
	bool fits;

	if (s->function || s->hidden)
		return false;
	if (!w->space[0])
		return strcmp(s->name, w->last) == 0;
	if (s->name[0] != '_' || !strstr(s->name, w->last))
		return false;
	full = source_demangle(s->name);
	names_split(w->text, &parts);
	fits = names_match(&parts, full);
	names_fini(&parts);
	base_free(full);
	return fits;
}

/* Finds the module's symbol of this name. Returns the number of different ones, 1 if one is
   global. */
static int symbols_that_fit(struct module *m, const struct wanted_variable *w,
			    const struct elf_symbol **out)
{
	int count = 0;

	*out = NULL;
	module_load_symbols(m);
	array_each(const struct elf_symbol, s, &m->symbols) {
		if (!symbol_fits(s, w) || (*out && s->offset == (*out)->offset))
			continue;
		if (s->global) {
			*out = s;
			return 1;
		}
		*out = s;
		count++;
	}
	return count;
}

int global_of_symbols(const struct dwarf_program *program, const struct wanted_variable *w,
		      struct variable *out, struct error *err)
{
	const struct elf_symbol *s, *best = NULL;
	struct module *m;
	uint64_t bias;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; !w->file && (m = dwarf_module(program, i, &bias)); i++) {
		int count = symbols_that_fit(m, w, &s);

		if (count > 1 || (count && best && !s->global))
			return error_set(err, ERROR_STATE,
					 "variable '%s' is ambiguous: %s has several symbols of "
					 "this name",
					 w->text, module_name(m));
		if (!count)
			continue;
		best = s;
		out->module = m;
		if (s->global)
			break;
	}
	if (!best)
		return 0;
	/* A missing debug file has the type. The symbol's size alone would be a guess. */
	if (out->module->dies && (split_explain_any(out->module->dies, w->text, err) ||
				  alternate_explain(out->module->dies, w->text, err)))
		return -1;
	out->kind = VARIABLE_ADDRESS;
	out->number = best->offset;
	out->type = type_of_size(best->size);
	out->main = dwarf_module(program, 0, &bias);
	return 1;
}

/* ---- declarations --------------------------------------------------------------------------- */

/* Finds the symbol that the linker binds to. The type remains that of the declaration. */
static int defined_by_symbol(const struct dwarf_program *program, const char *linkage,
			     struct variable *out)
{
	struct module *m;
	uint64_t bias, offset;

	for (size_t i = 0; (m = dwarf_module(program, i, &bias)); i++) {
		if (!has_symbol(m, linkage, &offset))
			continue;
		out->kind = VARIABLE_ADDRESS;
		out->module = m;
		out->number = offset;
		out->main = dwarf_module(program, 0, &bias);
		return 1;
	}
	return 0;
}

/* Returns the namespace or class of a DIE, from the index of its unit. */
static const char *space_around(const struct entry *e)
{
	ERROR(ignored);
	const struct unit_globals *g = unit_globals(e->table->module, e->unit, &ignored);

	for (size_t i = 0; g && i < g->globals.count; i++) {
		if (g->globals.items[i].entry == e->offset)
			return g->spaces.items[g->globals.items[i].space].name;
	}
	return "";
}

static int defined_elsewhere(const struct dwarf_program *program, const struct entry *e,
			     const char *name, struct variable *out, struct error *err)
{
	struct wanted_variable w = {
		.text = name, .space = base_strdup(space_around(e)), .last = base_strdup(name)};
	struct variable_search h = {
		.program = program, .wanted = &w, .space = w.space, .exported = true};
	int answer = search_modules(&h, e->table->module, err);

	if (answer == 0)
		answer = search_choose(&h, w.space, out, err);
	search_fini(&h);
	wanted_fini(&w);
	return answer;
}

int global_defined(const struct dwarf_program *program, const struct entry *declaration,
		   struct variable *out, struct error *err)
{
	const char *name = entry_name(declaration);
	int answer = search_entry(program, declaration, out, err);

	if (answer != 0 || !name)
		return answer;
	answer = defined_elsewhere(program, declaration, name, out, err);
	if (answer != 0)
		return answer;
	if (variable_of_entry(declaration, 0, out, err) < 0)
		return -1;
	if (defined_by_symbol(program, linkage_name(declaration), out))
		return 1;
	return error_set(err, ERROR_STATE, "%s: only declared here; no loaded module defines it",
			 name);
}

/* ---- names visible at a place --------------------------------------------------------------- */

/* Namespaces and classes around a function, the innermost first, "" last. */
struct enclosing_spaces {
	char *names[SPACES_MAX];
	size_t count;
	/* the place's unit, that of the declaration, and partial units of both */
	struct unit_list units;
};

static char *leading_parts(const struct name_parts *parts, size_t count)
{
	struct str text = {0};

	for (size_t i = 0; i < count; i++) {
		if (i)
			str_add(&text, "::");
		str_add_bytes(&text, parts->parts.items[i].text, parts->parts.items[i].length);
	}
	return count ? str_take(&text) : base_strdup("");
}

static void add_units(const struct code_place *p, struct die_unit *declared,
		      const struct wanted_variable *w, struct unit_list *out)
{
	*array_add(out) = p->self.unit;
	if (declared && declared != p->self.unit)
		*array_add(out) = declared;
	for (size_t i = 0, own = out->count; i < own; i++)
		unit_parts(p->module, out->items[i], w->last, out);
}

static int enclosing_spaces(const struct code_place *p, const struct wanted_variable *w,
			    struct enclosing_spaces *out, struct error *err)
{
	struct name_parts parts = {.args = NULL};
	struct function f = {.name = NULL};

	memset(out, 0, sizeof(*out));
	if (p->self.scope) {
		if (function_read(p->table, p->self, &f, err) < 0)
			return -1;
		add_units(p, f.named.unit, w, &out->units);
	}
	if (f.spoken)
		names_split(f.spoken, &parts);
	for (size_t n = parts.parts.count; n-- > 1 && out->count < SPACES_MAX - 1;)
		out->names[out->count++] = leading_parts(&parts, n);
	out->names[out->count++] = base_strdup("");
	names_fini(&parts);
	return 0;
}

static void around_fini(struct enclosing_spaces *a)
{
	for (size_t i = 0; i < a->count; i++)
		base_free(a->names[i]);
	array_fini(&a->units);
}

static char *variables_global_inside(const char *outer, const char *inner)
{
	struct str text = {0};

	str_addf(&text, "%s%s%s", outer, outer[0] && inner[0] ? "::" : "", inner);
	return str_take(&text);
}

/* Searches one space of one unit. */
static int in_space(const struct code_place *p, const struct wanted_variable *w, struct die_unit *u,
		    const char *space, struct variable *out, struct error *err)
{
	struct variable_search h = {.program = p->program,
				    .wanted = w,
				    .offset = p->offset,
				    .own = p->module,
				    .space = space};
	int answer = search_unit(&h, p->table, u, err);

	if (answer == 0)
		answer = search_choose(&h, space, out, err);
	search_fini(&h);
	return answer;
}

/* Searches the spaces that `using namespace` makes visible in this one. */
static int in_imported(const struct code_place *p, const struct wanted_variable *w,
		       struct die_unit *u, const char *outer, struct variable *out,
		       struct error *err)
{
	const struct unit_globals *g = unit_globals(p->module, u, err);
	int answer = g ? 0 : -1;

	for (size_t i = 0; answer == 0 && i < g->imports.count; i++) {
		const struct import *one = &g->imports.items[i];
		char *space;

		if (strcmp(g->spaces.items[one->space].name, outer) != 0)
			continue;
		array_each(const struct space, s, &g->spaces) {
			if (s->entry != one->target || answer != 0)
				continue;
			space = variables_global_inside(s->name, w->space);
			answer = in_space(p, w, u, space, out, err);
			base_free(space);
		}
	}
	return answer;
}

static int in_own_units(const struct code_place *p, const struct wanted_variable *w,
			const struct enclosing_spaces *a, struct variable *out, struct error *err)
{
	int answer = 0;

	for (size_t i = w->global ? a->count - 1 : 0; answer == 0 && i < a->count; i++) {
		char *space = variables_global_inside(a->names[i], w->space);

		for (size_t u = 0; u < a->units.count && answer == 0; u++) {
			struct die_unit *unit = a->units.items[u];

			answer = in_space(p, w, unit, space, out, err);
			if (answer == 0)
				answer = in_imported(p, w, unit, a->names[i], out, err);
		}
		base_free(space);
	}
	return answer;
}

/* Searches all units and modules: exported variables of the enclosing spaces, then any that is the
   only one. */
static int in_all_modules(const struct code_place *p, const struct wanted_variable *w,
			  const struct enclosing_spaces *a, struct variable *out, struct error *err)
{
	size_t from = w->global ? a->count - 1 : 0;
	char *enough = variables_global_inside(a->names[from], w->space);
	struct variable_search h = {
		.program = p->program, .wanted = w, .offset = p->offset, .enough = enough};
	int answer = search_modules(&h, p->module, err);

	for (size_t i = from; answer == 0 && i < a->count; i++) {
		char *space = variables_global_inside(a->names[i], w->space);

		answer = search_choose(&h, space, out, err);
		base_free(space);
	}
	if (answer == 0 && !w->global)
		answer = search_choose(&h, NULL, out, err);
	search_fini(&h);
	base_free(enough);
	return answer;
}

/* True if the space is one of those in which the name is searched. */
static bool is_around(const struct enclosing_spaces *a, const struct wanted_variable *w,
		      const char *space)
{
	bool is = false;

	for (size_t i = w->global ? a->count - 1 : 0; i < a->count && !is; i++) {
		char *full = variables_global_inside(a->names[i], w->space);

		is = strcmp(full, space) == 0;
		base_free(full);
	}
	return is;
}

/* Finds a variable that no debug information defines: an `extern` like libc's stdout, or a
   namespace's static that the compiler dropped. */
static int declared_only(const struct code_place *p, const struct wanted_variable *w,
			 const struct enclosing_spaces *a, struct variable *out, struct error *err)
{
	for (size_t u = 0; u < a->units.count; u++) {
		const struct unit_globals *g = unit_globals(p->module, a->units.items[u], err);
		struct entry e;

		for (size_t i = 0; g && i < g->globals.count; i++) {
			const struct global *one = &g->globals.items[i];

			if (!one->name || !one->declaration || strcmp(one->name, w->last) != 0)
				continue;
			if (entry_read(p->table, one->entry, &e, err) < 0 ||
			    variable_of_entry(&e, p->offset, out, err) < 0)
				return -1;
			if (defined_by_symbol(p->program, linkage_name(&e), out))
				return 1;
			if (!entry_flag(&e, DW_AT_external) && !w->file &&
			    is_around(a, w, g->spaces.items[one->space].name))
				return 1; /* VARIABLE_OPTIMISED_OUT */
		}
	}
	return 0;
}

int global_in_sight(const struct code_place *p, const struct wanted_variable *w,
		    struct variable *out, struct error *err)
{
	struct enclosing_spaces a;
	int answer;

	if (enclosing_spaces(p, w, &a, err) < 0)
		return -1;
	answer = w->file ? 0 : in_own_units(p, w, &a, out, err);
	if (answer == 0)
		answer = in_all_modules(p, w, &a, out, err);
	if (answer == 0 && !w->file)
		answer = declared_only(p, w, &a, out, err);
	around_fini(&a);
	return answer;
}

/* ---- by name alone -------------------------------------------------------------------------- */

static int global_anywhere(const struct dwarf_program *program, const struct wanted_variable *w,
			   struct variable *out, struct error *err)
{
	struct variable_search h = {.program = program, .wanted = w, .enough = w->space};
	int answer = search_modules(&h, NULL, err);

	if (answer == 0)
		answer = search_choose(&h, w->space, out, err);
	if (answer == 0 && !w->global)
		answer = search_choose(&h, NULL, out, err);
	search_fini(&h);
	return answer;
}

/* Sets the error of an unknown name, with similar symbols of the executable. */
static void unknown(const struct dwarf_program *p, const char *name, struct error *err)
{
	struct suggestions near = {.wanted = name};
	STR(text);
	struct module *m;
	uint64_t bias;

	for (size_t i = 0; (m = dwarf_module(p, i, &bias)); i++) {
		module_load_symbols(m);
		array_each(const struct elf_symbol, s, &m->symbols) {
			if (!s->function && !s->hidden && i == 0)
				suggest_offer(&near, s->name);
		}
	}
	suggest_take(&near, &text);
	error_set(err, ERROR_STATE, "no variable '%s' in the program%s", name, str_text(&text));
}

/* Searches all modules by name alone. This is slow, but is done once for each name. */
static struct variable *find_global(const struct variable_at *at, const char *name,
				    struct error *err)
{
	struct variable found;
	struct wanted_variable w;
	int answer;

	wanted_split(name, &w);
	answer = global_anywhere(at->program, &w, &found, err);
	if (answer == 0)
		answer = global_of_symbols(at->program, &w, &found, err);
	wanted_fini(&w);
	if (answer == 0)
		unknown(at->program, name, err);
	return answer > 0 ? variable_keep(at, name, &found, err) : NULL;
}

int inspect_global(const struct dwarf_program *program, void *thread, const char *name,
		   struct inspect_value *out, struct error *err)
{
	const struct variable_context c = {.program = program, .thread = thread};
	struct variable_at at = {program, NULL, UINT64_MAX, UINT_MAX};
	struct variable *v;
	uint64_t bias;
	int answer;

	at.module = dwarf_module(program, 0, &bias);
	v = variable_kept(&at, name);
	if (!v && at.module)
		v = find_global(&at, name, err);
	else if (!v)
		error_set(err, ERROR_STATE, "no variable '%s': the program has no module", name);
	answer = v ? variable_value(&c, v, out, err) : -1;
	if (answer > 0)
		return error_set(err, ERROR_STATE, "%s: optimised out of the whole program", name);
	return answer;
}
