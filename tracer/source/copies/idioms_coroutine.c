/* Starts in the code of a coroutine that are no executions: compilers split its body at each
   co_await and give generated code the line of some statement. */
#include "tracer/base/text/str.h"
#include "tracer/source/copies/copy.h"

#include <string.h>

static const char *outer_symbol(const struct copy_work *w)
{
	const struct elf_symbol *symbol =
		module_symbol_at(w->c->module, scope_entry(w->outer), true);

	return symbol ? symbol->name : "";
}

/* g++ makes a function NAME.actor of the body, which jumps to the point of resumption, in the
   middle of a statement. */
bool coroutine_is_actor(const struct copy_work *w)
{
	return strstr(outer_symbol(w), ".actor");
}

/* Without optimisation two paths lead to the second half of a co_await: a branch in its first half,
   if it need not suspend, and resumption. */
bool is_resumed(const struct copy_work *w, uint64_t start)
{
	return start != w->starts.items[0] &&
	       flow_branches_to(w->flow, w->starts.items[0], start) &&
	       coroutine_is_actor(w); /* last, as it reads all symbols */
}

/* Returns the line of the row after the start's block, or 0 if unknown; *end is
   the end of the block. */
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

/* True if the function has the coroutine's name: clang leaves the beginning there and adds
   functions for the rest. */
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

/* True for the code before the jump to the point of resumption: clang 19 computes the addresses of
   variables there and gives it the line of one of them. */
static bool is_before_jump(const struct copy_work *w, uint64_t start)
{
	const char *part = strrchr(outer_symbol(w), '.');

	return part &&
	       (strcmp(part, ".resume") == 0 || strcmp(part, ".destroy") == 0 ||
		strcmp(part, ".cleanup") == 0) &&
	       flow_is_straight(w->flow, scope_entry(w->outer), start);
}

/* True for the code that copies the arguments to the heap before the coroutine begins: clang gives
   it the line whose variables it stored last. */
bool is_copying_arguments(const struct copy_work *w, uint64_t start)
{
	uint64_t end;

	if (start != w->starts.items[0])
		return false;
	if (flow_calls(w->flow, scope_entry(w->outer), start) == 1 /* of operator new */ &&
	    w->around.line && line_behind(w, start, &end) == w->around.line &&
	    flow_is_straight(w->flow, start, end) && is_first_part(w))
		return true;
	return is_before_jump(w, start);
}
