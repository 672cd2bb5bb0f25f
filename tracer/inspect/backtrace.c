/* Backtraces: physical frames, each with the inlined copies that share it. */
#include "tracer/dwarf/call_site.h"
#include "tracer/source/functions.h"
#include "tracer/source/names.h"
#include "tracer/arch/arch.h"
#include "tracer/inspect/inspect.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { JUMPS = 8, PADDING = 64 };

/* ---- names and lines ------------------------------------------------------------------------ */

/* The symbol's name as a reader writes it; made once. */
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

/* Of several rows at one address the last one that begins a statement, if there is any. */
static const struct line_row *statement_row(const struct line_unit *l, const struct line_row *row)
{
	for (const struct line_row *r = row; r; r = r > l->rows.items ? r - 1 : NULL) {
		if (r->end_sequence || r->offset != row->offset || !r->line)
			break;
		if (r->is_stmt)
			return r;
	}
	return row;
}

static void by_line_table(struct die_table *t, uint64_t offset, struct inspect_call *out)
{
	struct die_unit *u = dies_unit_at(t, offset);
	const struct line_row *row;
	ERROR(ignored);
	struct line_unit *l;

	if (!u || !u->has_stmt_list || !t->module->lines)
		return;
	l = lines_unit_at(t->module->lines, u->stmt_list);
	if (!l || lines_decode(t->module, l, &ignored) < 0)
		return;
	row = statement_row(l, lines_row_at(l, offset));
	if (!row || !row->line)
		return;
	out->file = lines_file(l, row->file);
	out->line = row->line;
}

/* An outer call stands where it calls the next copy in. */
static void by_copy(struct die_table *t, struct scope_ref inner, struct inspect_call *out)
{
	out->line = inner.scope->call_line;
	if (out->line)
		out->file = function_file(t, inner.unit, inner.scope->call_file);
}

static const char *function_name(struct die_table *t, struct scope_ref scope)
{
	ERROR(ignored);
	struct function f;

	return function_read(t, scope, &f, &ignored) < 0 ? NULL : f.name;
}

static bool is_c(unsigned language)
{
	return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
	       language == DW_LANG_C11 || language == 0x2c; /* DW_LANG_C17 */
}

/* As gdb prints it: C's functions by the name that the linker knows, C++'s by the demangled one. */
static const char *shown_name(struct die_table *t, struct scope_ref scope)
{
	ERROR(ignored);
	struct function f;
	char *full;

	if (scope.scope->shown)
		return scope.scope->shown;
	if (function_read(t, scope, &f, &ignored) < 0)
		return NULL;
	scope.scope->shown = f.name ? f.name : f.linkage; /* clang's _GLOBAL__sub_I_* has no name */
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

/* clang lets a copy begin with the nops that align the loop which it begins. */
static bool only_padding(struct module *m, uint64_t low, uint64_t offset)
{
	uint8_t bytes[PADDING];
	struct arch_insn in;
	size_t n, i = 0;

	if (low > offset || offset - low > PADDING)
		return false;
	n = (size_t)(offset - low);
	if (module_bytes(m, low, bytes, n) != n)
		return false;
	while (i < n && arch_decode(bytes + i, n - i, low + i, &in) == 0 && in.is_nop)
		i += in.length;
	return i == n;
}

static bool begins_at(struct module *m, struct scope_ref scope, uint64_t offset)
{
	const struct scope *s = scope.scope;

	if (s->has_entry && s->entry == offset)
		return true;
	for (uint32_t i = 0; i < s->range_count; i++)
		if (only_padding(m, scope.unit->ranges.items[s->first_range + i].low, offset))
			return true;
	return false;
}

/* How many of the copies have not been entered: the thread is in `function` and they begin here. */
static int not_entered(struct die_table *t, const struct scope_ref *scopes, int count,
		       uint64_t offset, const char *function)
{
	int skipped = 0, i = 0;

	for (; function && i < count; i++) {
		const char *name = function_name(t, scopes[i]);

		if (name && strcmp(name, function) == 0)
			return i <= skipped ? i : skipped;
		skipped += skipped == i && scopes[i].scope->kind == SCOPE_INLINED &&
			   begins_at(t->module, scopes[i], offset);
	}
	/* gcc may say that a copy is entered at an instruction which is its caller's. */
	for (i = 0; i + 1 < count; i++)
		if (scopes[i].scope->range_count &&
		    dies_covers(scopes[i].unit, scopes[i].scope, offset))
			break;
	return i;
}

static struct inspect_call *add_call(struct inspect_stack *out, const struct dwarf_frame *f)
{
	struct inspect_call *call = array_add(out);

	call->frame = *f;
	return call;
}

/* Is the thread in this copy, or about to enter it, as far as the call around it goes? */
static bool calls_here(struct module *m, struct scope_ref copy, uint64_t offset, bool left_out)
{
	return left_out ? begins_at(m, copy, offset) || dies_covers(copy.unit, copy.scope, offset)
			: copy.scope->range_count && dies_covers(copy.unit, copy.scope, offset);
}

static void add_scopes(const struct dwarf_frame *f, struct die_table *t,
		       const struct scope_ref *scopes, int count, int first, bool named,
		       size_t most, struct inspect_stack *out)
{
	for (int i = first; i < count && out->count < most; i++) {
		struct inspect_call *call = add_call(out, f);
		uint64_t offset = f->lookup_pc - f->bias;

		call->depth = (unsigned)i;
		call->inlined = i + 1 < count;
		call->function = shown_name(t, scopes[i]);
		/* A copy that is about to be entered is called here, too. */
		if (i && calls_here(t->module, scopes[i - 1], offset, named && i == first))
			by_copy(t, scopes[i - 1], call);
		else
			by_line_table(t, offset, call);
	}
}

static void add_frame(const struct dwarf_frame *f, const char *function, size_t most,
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
		add_scopes(f, t, scopes, count, not_entered(t, scopes, count, offset, function),
			   function != NULL, most, out);
		return;
	}
	call = add_call(out, f);
	if (f->signal) {
		call->function = "<signal handler called>"; /* as gdb says it */
		return;
	}
	if (f->module)
		call->function = symbol_name(f->module, offset);
	if (t)
		by_line_table(t, offset, call);
}

/* Tail calls between this frame and the one above it. */
static void add_jumps(const struct dwarf_frame *callee, const struct dwarf_frame *caller,
		      size_t most, struct inspect_stack *out)
{
	struct dwarf_frame jumped[JUMPS];
	size_t count = tailcalls_between(callee, caller, jumped, JUMPS);
	size_t before = out->count;

	for (size_t i = 0; i < count && out->count < most; i++)
		add_frame(&jumped[i], NULL, most, out);
	for (; before < out->count; before++)
		out->items[before].jumped = true;
}

void inspect_stack(const struct dwarf_frame *first, const char *function, size_t most,
		   struct inspect_stack *out)
{
	struct dwarf_frame frame = *first;
	ERROR(ignored);
	int more = 1;

	memset(out, 0, sizeof(*out));
	while (out->count < most && more > 0) {
		const struct dwarf_frame inner = frame;

		add_frame(&frame, function, most, out);
		function = NULL;
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
