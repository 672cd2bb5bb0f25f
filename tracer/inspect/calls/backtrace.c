/* Backtraces: physical frames, each with the inlined copies that share it. */
#include "tracer/base/files/path.h"
#include "tracer/dwarf/frames/frames.h"
#include "tracer/source/names/names.h"
#include "tracer/arch/arch.h"
#include "tracer/inspect/inspect.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { JUMPS = 8 };

/* ---- names and lines ------------------------------------------------------------------------ */

/* Returns the symbol's demangled name without arguments. It is made once and kept in the module. */
static const char *symbol_name(struct module *m, uint64_t offset)
{
	const struct elf_symbol *s = module_symbol_at(m, offset, true);
	struct elf_symbol *own;
	char *full;

	if (!s || s->shown)
		return s ? s->shown : NULL;
	own = &m->symbols.items[s - m->symbols.items];
	full = source_demangle(s->name);
	own->shown = s->name;
	if (strcmp(full, s->name) != 0)
		own->shown = *array_add(&m->symbol_names) = names_without_args(full);
	base_free(full);
	return own->shown;
}

static const struct line_row *row_before(const struct line_unit *l, const struct line_row *row)
{
	const struct line_row *before = row > l->rows.items ? row - 1 : NULL;

	return before && !before->end_sequence && before->offset == row->offset && before->line
		       ? before
		       : NULL;
}

/* Returns the last row at the address of `row` that begins a statement, or `row` if none does. */
static const struct line_row *statement_row(const struct line_unit *l, const struct line_row *row)
{
	for (const struct line_row *r = row; r; r = row_before(l, r))
		if (r->is_stmt)
			return r;
	return row;
}

/* An inlined copy without instructions leaves only rows. Returns a row of the user's function
   itself, the statement that the copy is in, instead of a row of a system's header. */
static const struct line_row *users_row(struct die_table *t, struct scope_ref scope,
					struct line_unit *l, const struct line_row *last,
					const struct line_row *row)
{
	ERROR(ignored);
	struct function f;

	if (!scope.scope || !path_is_system_source(lines_file(l, row->file)) ||
	    function_read(t, scope, &f, &ignored) < 0 || path_is_system_source(f.file))
		return row;
	for (const struct line_row *r = last; r; r = row_before(l, r))
		if (function_same_file(f.file, lines_file(l, r->file)))
			return r;
	return row;
}

/* `scope`: function or copy of the call; its scope may be NULL. */
static void by_line_table(struct die_table *t, struct scope_ref scope, uint64_t offset,
			  struct inspect_call *out)
{
	struct die_unit *u = dies_unit_at(t, offset);
	const struct line_row *last, *row;
	ERROR(ignored);
	struct line_unit *l;

	if (!u || !u->has_stmt_list || !t->module->lines)
		return;
	l = lines_unit_at(t->module->lines, u->stmt_list);
	if (!l || lines_decode(t->module, l, &ignored) < 0)
		return;
	last = lines_row_at(l, offset);
	if (!last || !last->line)
		return;
	row = users_row(t, scope, l, last, statement_row(l, last));
	out->file = lines_file(l, row->file);
	out->line = row->line;
}

/* Line of an outer call: the line at which it calls the next copy further in. */
static void by_copy(struct die_table *t, struct scope_ref inner, struct inspect_call *out)
{
	out->line = inner.scope->call_line;
	if (out->line)
		out->file = function_file(t, inner.unit, inner.scope->call_file);
}

static bool is_c(unsigned language)
{
	return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
	       language == DW_LANG_C11 || language == 0x2c; /* DW_LANG_C17 */
}

/* Returns the name that gdb prints: the linkage name for C, the demangled name for C++. */
static const char *shown_name(struct die_table *t, struct scope_ref scope)
{
	ERROR(ignored);
	struct function f;
	char *full;

	if (scope.scope->shown)
		return scope.scope->shown;
	if (function_read(t, scope, &f, &ignored) < 0)
		return NULL;
	/* clang's _GLOBAL__sub_I_* have no name */
	scope.scope->shown = f.name ? f.name : f.linkage;
	if (f.linkage && is_c(scope.unit->language)) {
		scope.scope->shown = f.linkage;
	} else if (f.linkage && strncmp(f.linkage, "_Z", 2) == 0 &&
		   scope.unit->language != DW_LANG_Rust) {
		full = source_demangle(f.linkage);
		scope.scope->shown = dies_keep(t, names_without_args(full));
		base_free(full);
	}
	return scope.scope->shown;
}

/* ---- one frame ------------------------------------------------------------------------------ */

static bool has_here(struct scope_ref scope, uint64_t offset)
{
	return scope.scope->range_count && dies_covers(scope.unit, scope.scope, offset);
}

/* Returns the index of the thread's innermost call: the number of scopes that are left out. */
static int backtrace_innermost(struct die_table *t, const struct scope_ref *scopes, int count,
			       uint64_t offset, uint64_t scope)
{
	int i = functions_which(t, scopes, count, scope);

	if (i >= 0)
		return i;
	/* gcc may give a copy an entry at an instruction that belongs to its caller. */
	for (i = 0; i + 1 < count; i++)
		if (has_here(scopes[i], offset))
			break;
	return i;
}

static struct inspect_call *backtrace_add_call(struct inspect_stack *out,
					       const struct dwarf_frame *f)
{
	struct inspect_call *call = array_add(out);

	call->frame = *f;
	return call;
}

/* True if the call's line belongs to the function's own text and not to a copy. */
static bool is_own_line(struct die_table *t, const struct scope_ref *scopes, int count, int i,
			const struct inspect_call *call)
{
	struct scope_ref owner;
	ERROR(ignored);
	struct function f;

	return function_read(t, scopes[i], &f, &ignored) == 0 && f.line <= call->line &&
	       function_same_file(f.file, call->file) &&
	       functions_owner(t, scopes, count, call->file, call->line, &owner, &ignored) == 0 &&
	       owner.scope == scopes[i].scope;
}

/* Line of the innermost call. Copies further in are not entered yet, or the tester did not ask
   for them. */
static void innermost_line(struct die_table *t, const struct scope_ref *scopes, int count, int i,
			   uint64_t offset, struct inspect_call *call)
{
	by_line_table(t, scopes[i], offset, call);
	if (i && !is_own_line(t, scopes, count, i, call))
		by_copy(t, scopes[i - 1], call);
}

static void add_scopes(const struct dwarf_frame *f, struct die_table *t,
		       const struct scope_ref *scopes, int count, uint64_t scope, size_t most,
		       struct inspect_stack *out)
{
	uint64_t offset = f->lookup_pc - f->bias;
	int first = backtrace_innermost(t, scopes, count, offset, scope);

	for (int i = first; i < count && out->count < most; i++) {
		struct inspect_call *call = backtrace_add_call(out, f);

		call->depth = (unsigned)i;
		call->inlined = i + 1 < count;
		call->scope = scopes[i].scope->offset;
		call->function = shown_name(t, scopes[i]);
		if (scope && i == first)
			innermost_line(t, scopes, count, i, offset, call);
		else if (i > first || (i && has_here(scopes[i - 1], offset)))
			by_copy(t, scopes[i - 1], call);
		else
			by_line_table(t, scopes[i], offset, call);
	}
}

static void add_frame(const struct dwarf_frame *f, uint64_t scope, size_t most,
		      struct inspect_stack *out)
{
	uint64_t offset = f->lookup_pc - f->bias;
	struct scope_ref scopes[FUNCTIONS_DEEP];
	struct inspect_call *call;
	struct die_table *t = NULL;
	ERROR(ignored);
	int count = 0;

	if (f->module && !f->signal)
		t = dies_table(f->module, &ignored);
	if (t)
		count = functions_stack(t, offset, scopes, &ignored);
	if (count > 0) {
		add_scopes(f, t, scopes, count, scope, most, out);
		return;
	}
	call = backtrace_add_call(out, f);
	if (f->signal) {
		call->function = "<signal handler called>"; /* the text that gdb prints */
		return;
	}
	if (f->module)
		call->function = symbol_name(f->module, offset);
	if (t)
		by_line_table(t, (struct scope_ref){0}, offset, call);
}

/* Adds functions that left by a tail call between these two frames. */
static void add_jumps(const struct dwarf_frame *callee, const struct dwarf_frame *caller,
		      size_t most, struct inspect_stack *out)
{
	struct dwarf_frame jumped[JUMPS];
	size_t count = tailcalls_between(callee, caller, jumped, JUMPS);
	size_t before = out->count;

	for (size_t i = 0; i < count && out->count < most; i++)
		add_frame(&jumped[i], 0, most, out);
	for (; before < out->count; before++)
		out->items[before].jumped = true;
}

void inspect_stack(const struct dwarf_frame *first, uint64_t scope, size_t most,
		   struct inspect_stack *out)
{
	struct dwarf_frame frame = *first;
	ERROR(ignored);
	int more = 1;

	memset(out, 0, sizeof(*out));
	while (out->count < most && more > 0) {
		const struct dwarf_frame inner = frame;

		add_frame(&frame, scope, most, out);
		scope = 0;
		if (out->count < most)
			more = dwarf_frame_up(&inner, &frame, &ignored);
		if (out->count < most && more > 0)
			add_jumps(&inner, &frame, most, out);
	}
	out->cut = more != 0;
}

void inspect_stack_fini(struct inspect_stack *s)
{
	array_fini(s);
	s->cut = false;
}

static bool read_call(const struct inspect_call *call, struct function *out)
{
	uint64_t offset = call->frame.lookup_pc - call->frame.bias;
	struct scope_ref scopes[FUNCTIONS_DEEP];
	ERROR(ignored);
	struct die_table *t;

	t = call->frame.module && !call->frame.signal ? dies_table(call->frame.module, &ignored)
						      : NULL;
	return t && functions_stack(t, offset, scopes, &ignored) > (int)call->depth &&
	       function_read(t, scopes[call->depth], out, &ignored) == 0;
}

const char *inspect_call_named(const struct inspect_call *call)
{
	struct function f;

	return read_call(call, &f) ? f.name : call->function;
}

unsigned inspect_call_begins(const struct inspect_call *call)
{
	struct function f;

	if (!call->file || !read_call(call, &f))
		return 0;
	return f.file && function_same_file(f.file, call->file) ? f.line : 0;
}
