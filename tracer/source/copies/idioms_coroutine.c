/*
 * Beginnings in a coroutine's code that are no executions: compilers cut its body in two at each co_await, and give code of
 * their own the place of some statement.
 */
#include "tracer/base/text/str.h"
#include "tracer/source/copies/copy.h"

#include <string.h>

static const char *outer_symbol(const struct copy_work *w)
{
	const struct elf_symbol *symbol =
		module_symbol_at(w->c->module, scope_entry(w->outer), true);

	return symbol ? symbol->name : "";
}

/* g++ makes a function of a coroutine's body that jumps to where it is to be taken up again, in the middle of a statement. */
bool coroutine_is_actor(const struct copy_work *w)
{
	return strstr(outer_symbol(w), ".actor");
}

/*
 * Without optimisation both ways lead to the second half of a co_await: from its first half, by a branch (one that need not suspend
 * goes on so), and where it is taken up.
 */
bool is_resumed(const struct copy_work *w, uint64_t start)
{
	return start != w->starts.items[0] &&
	       flow_branches_to(w->flow, w->starts.items[0], start) &&
	       coroutine_is_actor(w); /* it takes long to read all symbols */
}

/* The line of what stands behind the start's block, 0 unknown. */
static unsigned line_behind(const struct copy_work *w, uint64_t start, uint64_t *end)
{
	const struct line_row *row;

	*end = 0;
	array_each(const struct block, b, &w->c->blocks)
		if (b->start == start)
			*end = b->high;
	row = w->lines ? lines_row_at(w->lines, *end) : NULL;
	return row && row->offset == *end ? row->line : 0;
}

/* clang leaves the function with the coroutine's name its beginning, and adds others for the rest. */
static bool is_first_part(const struct copy_work *w)
{
	uint64_t offset, size;
	struct str name = {0};
	bool found;

	str_addf(&name, "%s.resume", outer_symbol(w));
	found = module_symbol(w->c->module, str_text(&name), &offset, &size) == 0;
	str_fini(&name);
	return found;
}

/*
 * clang 19 has the addresses of the variables on the heap computed before the jump to where the coroutine is to be taken up,
 * and says that this is of the line of one of them.
 */
static bool is_before_jump(const struct copy_work *w, uint64_t start)
{
	const char *part = strrchr(outer_symbol(w), '.');

	return part &&
	       (strcmp(part, ".resume") == 0 || strcmp(part, ".destroy") == 0 ||
		strcmp(part, ".cleanup") == 0) &&
	       flow_is_straight(w->flow, scope_entry(w->outer), start);
}

/*
 * The arguments are copied to the heap before the coroutine begins, which clang says is of the line whose variables it has
 * put there last.
 */
bool is_copying_arguments(const struct copy_work *w, uint64_t start)
{
	uint64_t end;

	if (start != w->starts.items[0])
		return false;
	if (flow_calls(w->flow, scope_entry(w->outer), start) == 1 /* that of operator new */ &&
	    w->around.line && line_behind(w, start, &end) == w->around.line &&
	    flow_is_straight(w->flow, start, end) && is_first_part(w))
		return true;
	return is_before_jump(w, start);
}
