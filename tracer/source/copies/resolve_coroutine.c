/*
 * Beginnings in a coroutine's code that are no executions: compilers cut its body in two at each co_await, and give code of
 * their own the place of some statement.
 */
#include "tracer/source/copies/resolve_copy.h"

#include "tracer/base/text/str.h"

#include <string.h>

/* g++ makes a function of a coroutine's body that jumps to where it is to be taken up again, in the middle of a statement. */
bool coroutine_is_resumed(const struct copy_work *w)
{
	const struct elf_symbol *symbol =
		module_symbol_at(w->c->module, scope_entry(w->outer), true);

	return symbol && strstr(symbol->name, ".actor");
}

/* Does a branch behind a start before it lead there? A co_await that need not suspend goes on so. */
static bool goes_on_there(const struct copy_work *w, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (flow_branches_to(w->flow, w->starts.items[before], w->starts.items[i]))
			return true;
	return false;
}

/* Without optimisation both ways lead to the second half of a co_await: from its first half, and where it is taken up. */
static void drop_resumed(struct copy_work *w)
{
	size_t kept = w->starts.count ? 1 : 0;
	bool any = false;

	for (size_t i = 1; i < w->starts.count; i++)
		any = any || goes_on_there(w, i);
	if (!any || !coroutine_is_resumed(w)) /* it takes long to read all symbols */
		return;
	for (size_t i = 1; i < w->starts.count; i++)
		if (!goes_on_there(w, i))
			w->starts.items[kept++] = w->starts.items[i];
	w->starts.count = kept;
}

/* The line of what stands behind the start's block, 0 unknown. */
static int line_behind(struct copy_work *w, uint64_t start, uint64_t *end, unsigned *line)
{
	const struct line_row *row;
	struct line_unit *l = NULL;

	*line = 0;
	*end = 0;
	array_each(const struct block, b, &w->c->blocks)
		if (b->start == start)
			*end = b->high;
	if (unit_lines(w->r, w->c->module, w->outer.unit, &l) < 0)
		return -1;
	row = l ? lines_row_at(l, *end) : NULL;
	if (row && row->offset == *end)
		*line = row->line;
	return 0;
}

/* clang leaves the function with the coroutine's name its beginning, and adds others for the rest. */
static bool is_first_part(const struct copy_work *w)
{
	const struct elf_symbol *symbol =
		module_symbol_at(w->c->module, scope_entry(w->outer), true);
	uint64_t offset, size;
	struct str name = {0};
	bool found;

	if (!symbol)
		return false;
	str_addf(&name, "%s.resume", symbol->name);
	found = module_symbol(w->c->module, str_text(&name), &offset, &size) == 0;
	str_fini(&name);
	return found;
}

/*
 * The arguments are copied to the heap before the coroutine begins, which clang says is of the line whose variables it has
 * put there last.
 */
static int copies_arguments(struct copy_work *w, uint64_t start, bool *out)
{
	uint64_t entry = scope_entry(w->outer), end;
	struct die_table *t;
	struct function f;
	unsigned line;

	*out = false;
	if (flow_calls(w->flow, entry, start) != 1) /* that of operator new */
		return 0;
	t = dies_table(w->c->module, w->r->err);
	if (!t || line_behind(w, start, &end, &line) < 0 ||
	    function_read(t, w->outer, &f, w->r->err) < 0)
		return -1;
	*out = line && line == f.line && flow_is_straight(w->flow, start, end) && is_first_part(w);
	return 0;
}

/*
 * clang 19 has the addresses of the variables on the heap computed before the jump to where the coroutine is to be taken up,
 * and says that this is of the line of one of them.
 */
static bool is_before_jump(const struct copy_work *w, uint64_t start)
{
	static const char *const parts[] = {".resume", ".destroy", ".cleanup"};
	uint64_t entry = scope_entry(w->outer);
	const struct elf_symbol *symbol = module_symbol_at(w->c->module, entry, true);
	const char *part = symbol ? strrchr(symbol->name, '.') : NULL;

	for (size_t i = 0; part && i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(part, parts[i]) == 0)
			return flow_is_straight(w->flow, entry, start);
	return false;
}

static int drop_arguments(struct copy_work *w)
{
	bool copies;

	if (copies_arguments(w, w->starts.items[0], &copies) < 0)
		return -1;
	if (copies || is_before_jump(w, w->starts.items[0]))
		array_remove(&w->starts, 0);
	return 0;
}

int coroutine_drop_starts(struct copy_work *w)
{
	if (!w->flow || !w->outer.scope || w->starts.count < 2)
		return 0;
	if (!w->outer.unit->is_gcc)
		return drop_arguments(w);
	if (w->c->all_stmt)
		drop_resumed(w);
	return 0;
}
