/* Drops copies of a line that are no executions of it. */
#include "tracer/source/copies/copy.h"

#include <string.h>

/* Position of the function of a copy relative to the line. */
enum begins {
	BEGINS_ELSEWHERE,
	BEGINS_BEFORE, /* in the same file */
	BEGINS_HERE,
	BEGINS_LAMBDA,
};

static bool has_statement(const struct line_copy *c)
{
	array_each(const struct block, b, &c->blocks)
		if (b->stmt)
			return true;
	return false;
}

static enum begins begins_where(const struct function *f, const char *path, unsigned line)
{
	if (!f->file || !function_same_file(f->file, path) || !f->line || f->line > line)
		return BEGINS_ELSEWHERE;
	if (f->line < line)
		return BEGINS_BEFORE;
	return !f->name || strstr(f->name, "{unnamed}") ? BEGINS_LAMBDA : BEGINS_HERE;
}

/* True for the function from which clang 19 calls await_suspend(), which has the line of the
   co_await, and for a destructor whose source another version executes. */
static bool is_wrapper(struct resolver *r, const struct line_copy *c, const struct function *f)
{
	return (f->linkage && strstr(f->linkage, ".__await_suspend_wrapper__")) ||
	       destructor_passes_on(r, c->module, c->owner);
}

/* Returns the lambda's name, without ::operator() if the compiler numbers it, or NULL if the copy
   is of its constructor. */
static const char *lambda_of(struct line_copy *c, const struct function *f)
{
	static const char call[] = "::operator()";
	const bool is_inlined = c->owner.scope && c->owner.scope->kind == SCOPE_INLINED;
	const struct elf_symbol *symbol =
		is_inlined ? NULL : module_symbol_at(c->module, scope_entry(c->owner), true);
	const char *linkage = f->linkage ? f->linkage : symbol ? symbol->name : NULL;
	OWNED(name) = linkage ? names_of_symbol(linkage) : base_strdup(f->name ? f->name : "");
	char *end = strstr(name, call);

	if (!end || end == name || end[sizeof(call) - 1])
		return NULL;
	if (linkage)
		*end = '\0';
	return dies_keep(c->module->dies, base_strdup(name));
}

/*
 * A statement that contains a lambda is executed once, however often the lambda is called, copied
 * (its constructor has no name) and destroyed. Functions that begin on the line are dropped if an
 * enclosing function has a statement on it; lambdas also if it has other code or a call there.
 */
const char *copies_drop(struct resolver *r, const char *path, unsigned line,
			struct line_copies *copies)
{
	size_t count = copies->items.count;
	enum begins *begins = base_alloc(count, sizeof(*begins)), least = BEGINS_LAMBDA + 1;
	const char *lambda = NULL, *name;

	for (size_t i = 0; i < count; i++) {
		struct line_copy *c = &copies->items.items[i];
		struct function f;

		resolve_function(r, c->module, c->owner, &f);
		if (is_wrapper(r, c, &f))
			c->blocks.count = c->calls.count = 0;
		begins[i] = begins_where(&f, path, line);
		if (begins[i] == BEGINS_LAMBDA && copy_has_code(c) && (name = lambda_of(c, &f)))
			lambda = name;
		if (begins[i] >= BEGINS_HERE)
			continue;
		if (has_statement(c))
			least = BEGINS_HERE;
		else if (begins[i] == BEGINS_BEFORE && least > BEGINS_LAMBDA &&
			 (copy_has_code(c) || c->calls.count))
			least = BEGINS_LAMBDA;
	}
	for (size_t i = 0; i < count; i++)
		if (begins[i] >= least)
			copies->items.items[i].blocks.count = copies->items.items[i].calls.count =
				0;
	base_free(begins);
	return least <= BEGINS_LAMBDA ? lambda : NULL;
}
