/* Functions of the debug information: their names and source lines, and the stack of inlined
   copies at an address. */
#include "tracer/source/names/names.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/files/path.h"
#include "tracer/base/text/str.h"

#include <libdwarf/dwarf.h>

#include <string.h>

/* Limits for chains of references and nestings, which are endless in broken debug information. */
enum { CHAIN_MAX = 16, NESTING_MAX = 64 };

const char *function_file(struct die_table *t, const struct die_unit *u, unsigned number)
{
	struct line_unit *l;

	/* dies_table() has read the line table. */
	if (number == FILE_NONE || !u->has_stmt_list || !t->module->lines)
		return NULL;
	l = lines_unit_at(t->module->lines, u->stmt_list);
	return l ? lines_file(l, lines_file_index(l, number)) : NULL;
}

bool function_same_file(const char *a, const char *b)
{
	if (!a || !b)
		return false;
	return a == b || strcmp(a, b) == 0 || (path_names_file(a, b) && path_names_file(b, a));
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Follows the references to their end, as a method's declaration is inside its class. `named`: only
   to the first scope that has a name itself. */
static int find_origin(struct die_table *t, struct scope_ref scope, bool named,
		       struct scope_ref *out, struct error *err)
{
	*out = scope;
	for (int i = 0; i < CHAIN_MAX && !(named && out->scope->name); i++) {
		struct scope_ref next;

		if (dies_origin(t, *out, &next, err) < 0)
			return -1;
		if (!next.scope)
			break;
		*out = next;
	}
	return 0;
}

static const char *part_name(const struct scope *s)
{
	if (s->name)
		return s->name;
	if (s->tag == DW_TAG_namespace)
		return "(anonymous namespace)";
	if (s->tag == DW_TAG_enumeration_type)
		return NULL;
	return s->kind == SCOPE_SPACE ? "{unnamed}" : NULL;
}

struct name_pieces {
	const char *text[NESTING_MAX]; /* innermost first */
	bool silent[NESTING_MAX];
	int count, silent_count;
};

/* Quotes control characters: no compiler writes them into names, so they are meant to deceive. */
static char *on_one_line(struct str *name)
{
	struct str shown = {0};

	if (foreign_is_plain(str_text(name)))
		return str_take(name);
	foreign_line(&shown, str_text(name));
	str_fini(name);
	return str_take(&shown);
}

static const char *join_pieces(struct die_table *t, const struct name_pieces *p, bool all)
{
	struct str name = {0};

	for (int i = p->count; i-- > 0;) {
		if (p->silent[i] && !all)
			continue;
		if (name.length)
			str_add(&name, "::");
		str_add(&name, p->text[i]);
	}
	return dies_keep(t, on_one_line(&name));
}

static int make_name(struct die_table *t, struct scope_ref root, struct error *err)
{
	struct name_pieces p = {.count = 0};
	struct scope_ref at = root;

	for (int i = 0; i < NESTING_MAX; i++) {
		struct scope_ref named;

		if (find_origin(t, at, false, &at, err) < 0 ||
		    find_origin(t, at, true, &named, err) < 0)
			return -1;
		p.text[p.count] = part_name(named.scope);
		p.silent[p.count] = named.scope->silent;
		p.silent_count += named.scope->silent;
		p.count += p.text[p.count] != NULL;
		if (at.scope->parent == SCOPE_NONE)
			break;
		at.scope = &at.unit->scopes.items[at.scope->parent];
	}
	root.scope->qualified = root.scope->spoken = join_pieces(t, &p, true);
	if (p.silent_count)
		root.scope->spoken = join_pieces(t, &p, false);
	return 0;
}

/* ---- attributes ----------------------------------------------------------------------------- */

/* Takes the line of a lambda from its unnamed class: gcc gives its method none. */
static void take_class_place(struct die_table *t, struct scope_ref method, struct function *out)
{
	const struct scope *around;

	if (out->line || method.scope->parent == SCOPE_NONE)
		return;
	around = &method.unit->scopes.items[method.scope->parent];
	if (around->kind != SCOPE_SPACE || !around->decl_line)
		return;
	out->line = around->decl_line;
	out->file = function_file(t, method.unit, around->decl_file);
}

int function_read(struct die_table *t, struct scope_ref scope, struct function *out,
		  struct error *err)
{
	struct scope_ref at = scope;

	memset(out, 0, sizeof(*out));
	out->self = scope;
	for (int i = 0; i < CHAIN_MAX; i++) {
		struct scope_ref next;

		if (!out->linkage)
			out->linkage = at.scope->linkage;
		if (!out->line)
			out->line = at.scope->decl_line;
		if (!out->file)
			out->file = function_file(t, at.unit, at.scope->decl_file);
		if (dies_origin(t, at, &next, err) < 0)
			return -1;
		if (!next.scope)
			break;
		at = next;
	}
	out->named = at;
	take_class_place(t, at, out);
	if (!at.scope->name)
		return 0;
	if (!at.scope->qualified && make_name(t, at, err) < 0)
		return -1;
	out->name = at.scope->qualified;
	out->spoken = at.scope->spoken;
	return 0;
}

int function_short_name(struct die_table *t, struct scope_ref scope, const char **out,
			struct error *err)
{
	struct scope_ref named;

	if (find_origin(t, scope, true, &named, err) < 0)
		return -1;
	*out = named.scope->name;
	return 0;
}

/* ---- addresses ------------------------------------------------------------------------------ */

int functions_stack(struct die_table *t, uint64_t offset, struct scope_ref out[FUNCTIONS_DEEP],
		    struct error *err)
{
	struct scope_ref outer, chain[FUNCTIONS_DEEP];
	uint32_t index, end;
	int count = 0;

	if (dies_function_at(t, offset, &outer, err) < 0)
		return -1;
	if (!outer.scope)
		return 0;
	chain[count++] = outer;
	index = (uint32_t)(outer.scope - outer.unit->scopes.items) + 1;
	end = outer.scope->end;
	while (index < end && count < FUNCTIONS_DEEP) {
		struct scope *s = &outer.unit->scopes.items[index];

		/* An inlined copy may begin at an address that its ranges lack
		   (gcc's DW_AT_entry_pc). */
		if (s->kind == SCOPE_INLINED &&
		    (dies_covers(outer.unit, s, offset) || (s->has_entry && s->entry == offset))) {
			chain[count++] = (struct scope_ref){outer.unit, s};
			end = s->end;
			index++;
		} else {
			index = s->end;
		}
	}
	for (int i = 0; i < count; i++)
		out[i] = chain[count - 1 - i];
	return count;
}

/* True if the inlined copy's call is on the line. The line is then not part of the copy, unless the
   function calls itself. */
static bool is_called_on(struct die_table *t, const struct scope_ref *stack, int count, int copy,
			 const char *file, unsigned line)
{
	const struct scope *s = stack[copy].scope;

	if (s->kind != SCOPE_INLINED || s->call_line != line ||
	    !function_same_file(function_file(t, stack[copy].unit, s->call_file), file))
		return false;
	for (int i = 0; i < count; i++)
		if (i != copy &&
		    (stack[i].scope->origin == s->origin || stack[i].scope->offset == s->origin))
			return false;
	return true;
}

/* Finds the owner of a line if no function of the stack is known to begin before it, such as the
   body of a g++ coroutine, which has no line. */
static int owner_else(struct die_table *t, const struct scope_ref *stack, int count,
		      const char *file, unsigned line, struct scope_ref *out, struct error *err)
{
	int inner = 0;

	for (; inner + 1 < count; inner++) {
		struct function f;

		if (!stack[inner].scope->range_count)
			continue; /* merged into its neighbours, no instruction is its own */
		if (function_read(t, stack[inner], &f, err) < 0)
			return -1;
		if (f.line == line || !is_called_on(t, stack, count, inner, file, line))
			break;
	}
	*out = stack[inner];
	return 0;
}

int functions_owner(struct die_table *t, const struct scope_ref *stack, int count, const char *file,
		    unsigned line, struct scope_ref *out, struct error *err)
{
	unsigned best = 0;

	if (owner_else(t, stack, count, file, line, out, err) < 0)
		return -1;
	for (int i = 0; count > 1 && i < count; i++) {
		struct function f;

		if (function_read(t, stack[i], &f, err) < 0)
			return -1;
		if (f.line > line || f.line <= best || !function_same_file(f.file, file) ||
		    (f.line != line && is_called_on(t, stack, count, i, file, line)))
			continue;
		best = f.line;
		*out = stack[i];
	}
	return 0;
}

struct scope_ref function_around(struct scope_ref scope)
{
	struct die_unit *u = scope.unit;
	uint32_t at = scope.scope->parent;

	while (at != SCOPE_NONE && u->scopes.items[at].kind == SCOPE_SPACE)
		at = u->scopes.items[at].parent;
	if (at == SCOPE_NONE)
		return (struct scope_ref){0};
	return (struct scope_ref){u, &u->scopes.items[at]};
}

int function_is_half(struct die_table *t, struct scope_ref scope, bool *out, struct error *err)
{
	struct scope_ref around = function_around(scope);
	const struct scope *s = scope.scope;
	struct function f;

	*out = false;
	if (s->kind != SCOPE_INLINED || !around.scope || !s->origin ||
	    (around.scope->origin != s->origin && around.scope->offset != s->origin))
		return 0;
	if (function_read(t, scope, &f, err) < 0)
		return -1;
	*out = f.line && f.line == s->call_line;
	return 0;
}

struct flow_ranges scope_code(struct scope_ref scope)
{
	const struct scope *s = scope.scope;

	return s ? (struct flow_ranges){scope.unit->ranges.items + s->first_range, s->range_count,
					s->range_count}
		 : (struct flow_ranges){0};
}

uint64_t scope_entry(struct scope_ref scope)
{
	const struct flow_ranges code = scope_code(scope);
	const struct scope *s = scope.scope;
	struct scope_ref outer = function_outermost(scope);
	uint64_t lowest = UINT64_MAX;

	/* The entry may be outside of the copy's ranges if its code was moved elsewhere. */
	if (s->has_entry && outer.scope && dies_covers(outer.unit, outer.scope, s->entry))
		return s->entry;
	array_each(const struct module_range, r, &code) {
		/* A function's first range holds its entry; its cold part may
		   have a lower address. */
		if (s->kind == SCOPE_FUNCTION)
			return r->low;
		lowest = r->low < lowest ? r->low : lowest;
	}
	return lowest;
}

struct scope_ref function_outermost(struct scope_ref scope)
{
	while (scope.scope && scope.scope->kind == SCOPE_INLINED)
		scope = function_around(scope);
	return scope;
}

int functions_which(struct die_table *t, const struct scope_ref *stack, int count, uint64_t scope)
{
	struct scope_ref at = {0};
	ERROR(ignored);
	bool half;

	if (count > 0 && scope)
		at = (struct scope_ref){stack[0].unit, dies_scope_of(stack[0].unit, scope)};
	for (; at.scope; at = function_around(at)) {
		int i = 0;

		while (i < count && stack[i].scope != at.scope)
			i++;
		if (i == count)
			continue;
		/* The split-off half is the same function and has the variables that it uses. */
		while (i > 0 && function_is_half(t, stack[i - 1], &half, &ignored) == 0 && half)
			i--;
		return i;
	}
	return -1;
}
