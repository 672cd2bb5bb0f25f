/* Copies of a line that are no executions of it. */
#include "tracer/source/lines/resolve.h"

#include <string.h>

struct dropping {
	struct resolver *r;
	struct die_table *dies;
	const char *path;
	unsigned line;
	struct line_copies *copies;
};

static bool has_statement(const struct line_copy *c)
{
	array_each(const struct block, b, &c->blocks)
		if (b->stmt)
			return true;
	return false;
}

enum begins { BEGINS_ELSEWHERE, BEGINS_HERE, BEGINS_LAMBDA };

/* Does the function that the copy is in begin on this very line? *before: it begins before it, in the same file. */
static int begins_here(struct dropping *s, const struct line_copy *c, enum begins *out,
		       bool *before)
{
	struct function f;

	*out = BEGINS_ELSEWHERE;
	*before = false;
	if (!c->owner.scope)
		return 0;
	if (function_read(s->dies, c->owner, &f, s->r->err) < 0)
		return -1;
	if (!function_same_file(f.file, s->path))
		return 0;
	*before = f.line && f.line < s->line;
	if (f.line == s->line)
		*out = !f.name || strstr(f.name, "{unnamed}") ? BEGINS_LAMBDA : BEGINS_HERE;
	return 0;
}

/*
 * A statement with a lambda in it is executed once, however often the lambda is called, copied (its constructor has no name)
 * and destroyed: where code of a function around it is on the line, functions that begin there are no copies of the line. Of
 * that code only the call may be left, or what is no statement's beginning: that is enough to drop what is a lambda.
 */
static int drop_lambdas(struct dropping *s)
{
	enum begins *begins = base_alloc(s->copies->items.count, sizeof(*begins)),
		    least = BEGINS_LAMBDA + 1;
	int answer = 0;

	for (size_t i = 0; i < s->copies->items.count && answer == 0; i++) {
		const struct line_copy *c = &s->copies->items.items[i];
		bool before;

		answer = begins_here(s, c, &begins[i], &before);
		if (answer < 0 || begins[i] != BEGINS_ELSEWHERE)
			continue;
		if (has_statement(c))
			least = BEGINS_HERE;
		else if (before && least > BEGINS_LAMBDA && (copy_has_code(c) || c->calls.count))
			least = BEGINS_LAMBDA;
	}
	for (size_t i = 0; answer == 0 && i < s->copies->items.count; i++) {
		if (begins[i] < least)
			continue;
		s->copies->items.items[i].blocks.count = 0;
		s->copies->items.items[i].calls.count = 0;
	}
	base_free(begins);
	return answer;
}

/* What stands on the lines of a destructor is executed in the version that the others call. */
static int drop_destructors(struct dropping *s)
{
	array_each(struct line_copy, c, &s->copies->items) {
		bool passes_on;

		if (destructor_passes_on(s->dies, c->module, c->owner, &passes_on, s->r->err) < 0)
			return -1;
		if (passes_on)
			c->blocks.count = c->calls.count = 0;
	}
	return 0;
}

/* clang 19 calls await_suspend() from a function without a name, which it says is of the line of the co_await. */
static int drop_wrappers(struct dropping *s)
{
	array_each(struct line_copy, c, &s->copies->items) {
		struct function f;

		if (!c->owner.scope)
			continue;
		if (function_read(s->dies, c->owner, &f, s->r->err) < 0)
			return -1;
		if (f.linkage && strstr(f.linkage, ".__await_suspend_wrapper__"))
			c->blocks.count = c->calls.count = 0;
	}
	return 0;
}

int copies_drop(struct resolver *r, struct die_table *dies, const char *path, unsigned line,
		struct line_copies *copies)
{
	struct dropping s = {r, dies, path, line, copies};

	return drop_destructors(&s) < 0 || drop_wrappers(&s) < 0 || drop_lambdas(&s) < 0 ? -1 : 0;
}
