/* Name of memory in the source: the symbol of a global variable; else an expression of the
   current statement; else a local variable at the address or a pointer to it. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/source/types/types.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

struct naming {
	const struct inspect_call *call;
	uint64_t address;
	struct str *out;
};

/* ---- global variables -------------------------------------------------------------------- */

static bool name_global(struct sched_thread *t, const char *symbol, uint64_t address,
			struct str *out)
{
	struct inspect_value v;
	STR(path);
	ERROR(ignored);
	bool found = inspect_global(run_process_program(run_process_of(t->thread)), NULL, symbol,
				    &v, &ignored) == 0 &&
		     inspect_member_at(&v, address, &path, &ignored) == 0;

	if (found)
		str_addf(out, "%s%s", symbol, str_text(&path));
	return found;
}

/* Returns the symbol, which the caller frees, or NULL if no symbol contains the address. */
static char *symbol_at(struct sched_thread *t, uint64_t address)
{
	struct image *image = images_at(run_process_of(t->thread), address);
	char *symbol = image ? source_name_of(image->module, address - image->bias) : NULL;

	if (symbol)
		symbol[strcspn(symbol, "+")] = '\0';
	return symbol;
}

/* ---- expressions of the statement -------------------------------------------------------- */

/* Returns the end of the next ".name", "->name" or "[...]", or NULL if none follows. */
static const char *more(const char *at)
{
	int depth = 0;

	if (*at == '[') {
		do
			depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
		while (*at++ && depth);
		return depth ? NULL : at;
	}
	if (strncmp(at, "->", 2) == 0)
		at += 2;
	else if (*at == '.')
		at++;
	else
		return NULL;
	return word_char(*at) ? at + word_length(at) : NULL;
}

/* Takes the expression as the name if it denotes the address and is longer than the known name. */
static bool race_name_means(const struct naming *n, const char *text, size_t length, bool pointed)
{
	STR(expression);
	struct inspect_value v;
	ERROR(ignored);
	bool found;

	str_addf(&expression, "%s%.*s", pointed ? "*" : "", (int)length, text);
	found = expression.length > n->out->length &&
		inspect_eval(n->call, str_text(&expression), &v, &ignored) == 0 &&
		v.place == INSPECT_IN_MEMORY && v.address == n->address;
	if (found) {
		str_clear(n->out);
		str_add(n->out, str_text(&expression));
	}
	return found;
}

static bool name_written(const struct naming *n, const char *line)
{
	bool found = false;

	for (const char *at = line; *at; at++) {
		if (!word_char(*at) || isdigit((unsigned char)*at) ||
		    (at > line && (word_char(at[-1]) || at[-1] == '.' || at[-1] == '>')))
			continue;
		for (const char *end = at + word_length(at); end; end = more(end)) {
			found |= race_name_means(n, at, (size_t)(end - at), false);
			found |= race_name_means(n, at, (size_t)(end - at), true);
		}
	}
	return found;
}

/* ---- locals ------------------------------------------------------------------------------ */

static bool name_by(const struct naming *n, const char *variable)
{
	struct inspect_value v;
	STR(path);
	ERROR(ignored);
	bool found = inspect_variable_local(n->call, variable, &v, &ignored) == 0 &&
		     inspect_member_at(&v, n->address, &path, &ignored) == 0;

	if (found && !path.length && (v.place != INSPECT_IN_MEMORY || v.address != n->address))
		str_addf(n->out, "*%s", variable);
	else if (found)
		str_addf(n->out, "%s%s", variable, str_text(&path));
	return found;
}

static bool name_local(const struct naming *n, bool only_arguments)
{
	const struct dwarf_frame *f = &n->call->frame;
	struct inspect_variables all = {0};
	ERROR(ignored);
	bool found = false;

	if (!f->module || inspect_variables_at(f->module, f->lookup_pc - f->bias, n->call->scope,
					       &all, &ignored) < 0)
		return false;
	for (size_t i = 0; i < all.count && !found; i++)
		found = all.items[i].name && (all.items[i].argument || !only_arguments) &&
			name_by(n, all.items[i].name);
	inspect_variables_fini(&all);
	return found;
}

bool race_is_passed(const struct inspect_call *call, uint64_t address)
{
	STR(name);
	const struct naming n = {call, address, &name};

	return name_local(&n, true) && *str_text(&name) == '*';
}

static bool name_here(struct sched_thread *t, const struct naming *n)
{
	const char *line = n->call->file
				   ? source_line(run_symbols(run_of(run_process_of(t->thread))),
						 n->call->file, n->call->line)
				   : NULL;

	return (line && name_written(n, line)) || name_local(n, false);
}

/* ---- types of atomic structs ------------------------------------------------------------- */

/* Removes the last ".name", "->name" or "[...]". Returns false if there is none. */
static bool cut_member(struct str *name)
{
	const char *text = str_text(name);
	size_t at = name->length;
	bool is_pointer;
	char *outer;

	while (at && text[at - 1] != '.' && text[at - 1] != '>' && text[at - 1] != '[')
		at--;
	if (at < 2)
		return false;
	outer = base_strndup(text, at - (text[at - 1] == '>' ? 2 : 1));
	is_pointer = text[at - 1] == '>';
	str_clear(name);
	str_addf(name, "%s%s", is_pointer ? "*" : "", outer);
	base_free(outer);
	return true;
}

static const struct type *type_of(const struct inspect_call *call, const char *expression)
{
	struct inspect_value v;
	ERROR(ignored);

	return inspect_eval(call, expression, &v, &ignored) == 0 ? v.type : NULL;
}

/* Returns the type of the named object. A member of an atomic struct counts as the whole struct
   (C11 6.5.2.3). */
static const struct type *type_of_access(const struct inspect_call *call, struct str *name)
{
	const struct type *type = type_of(call, str_text(name)), *around;
	STR(outer);

	str_add(&outer, str_text(name));
	while (!(type && type->flags & TYPE_ATOMIC) && cut_member(&outer)) {
		around = type_of(call, str_text(&outer));
		if (!around || !(around->flags & TYPE_ATOMIC))
			continue;
		type = around;
		str_clear(name);
		str_add(name, str_text(&outer));
	}
	return type;
}

/* Returns the type by the statement's expression: the symbol of a static local (given.0) is no
   expression. */
static const struct type *type_of_statement(struct sched_thread *t, const struct naming *symbol)
{
	STR(expression);
	struct naming n = *symbol;
	const struct type *type;

	n.out = &expression;
	type = name_here(t, &n) ? type_of_access(n.call, &expression) : NULL;
	return type;
}

/* ---- name -------------------------------------------------------------------------------- */

bool race_name(struct sched_thread *t, const struct inspect_stack *calls, size_t own,
	       uint64_t address, struct str *out, const struct type **type)
{
	const struct inspect_call *call = own < calls->count ? &calls->items[own] : NULL;
	STR(name);
	const struct naming n = {call, address, &name};
	char *symbol = symbol_at(t, address);
	bool found =
		(symbol && name_global(t, symbol, address, &name)) || (call && name_here(t, &n));

	if (!found && symbol) {
		str_add(&name, symbol);
		found = true;
	}
	base_free(symbol);

	*type = found && call ? type_of_access(call, &name) : NULL;
	if (call && !*type)
		*type = type_of_statement(t, &n);
	str_add(out, str_text(&name));
	return found;
}
