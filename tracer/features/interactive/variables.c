/* Variables of a call, and expressions. A variable that the thread has not come to yet has no
 * value. */
#include "tracer/base/text/word.h"
#include "tracer/features/interactive/interactive_internal.h"
#include "tracer/base/files/path.h"

#include <string.h>

struct first_from {
	uint64_t at;   /* lowest statement from the declaration's line on */
	uint64_t next; /* statement after that */
	bool declares; /* `at` is on the line of the declaration */
};

static bool is_same_file(const struct inspect_call *call, const struct source_statement *at)
{
	return call->file && at->file && strcmp(call->file, at->file) == 0;
}

/* Unoptimised code is in the order of the source, so the lowest address counts. */
static struct first_from first_from(const struct inspect_call *call, unsigned line,
				    const struct source_statements *list)
{
	struct first_from b = {UINT64_MAX, UINT64_MAX, false};

	array_each(const struct source_statement, at, list)
		if (is_same_file(call, at) && at->line >= line && at->offset < b.at)
			b = (struct first_from){at->offset, UINT64_MAX, at->line == line};
	array_each(const struct source_statement, at, list)
		if (at->offset > b.at && at->offset < b.next)
			b.next = at->offset;
	return b;
}

static bool is_alive(const struct inspect_call *call, const struct inspect_variable *home)
{
	const struct dwarf_frame *f = &call->frame;
	uint64_t here = f->lookup_pc - f->bias;
	struct source_statements list = {0};
	struct first_from b;
	bool alive = true;

	if (home->declared && !call->inlined && f->module &&
	    source_statements(f->module, here, &list)) {
		b = first_from(call, home->declared, &list);
		alive = b.at == UINT64_MAX || here >= (b.declares ? b.next : b.at);
	}
	array_fini(&list);
	return alive;
}

/* True if the expression has the name, and not only as a member's. */
static bool names(const char *expression, const char *name)
{
	size_t length = strlen(name);
	const char *at = expression;

	while ((at = word_find(at, name, length))) {
		if (at == expression ||
		    (at[-1] != '.' && (at[-1] != '>' || at - expression < 2 || at[-2] != '-')))
			return true;
		at += length;
	}
	return false;
}

static void note_dead(const struct inspect_call *call, const char *expression, struct str *out)
{
	struct inspect_variables homes = {0};
	const struct dwarf_frame *f = &call->frame;
	ERROR(ignored);

	if (f->module && inspect_variables_at(f->module, f->lookup_pc - f->bias, call->scope,
					      &homes, &ignored) == 0)
		array_each(const struct inspect_variable, home, &homes)
			if (names(expression, home->name) && !is_alive(call, home))
				str_addf(out, "note: %s has no value yet: line %u declares it\n",
					 home->name, home->declared);
	error_fini(&ignored);
	inspect_variables_fini(&homes);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Returns the reason for which nothing is known of the call's source, or "". */
static const char *without_debug(const struct inspect_call *call)
{
	return call->frame.module && module_has_debug(call->frame.module)
		       ? ""
		       : ": there is no debug information (build with -g)";
}

static bool named_before(const struct inspect_variables *homes, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(homes->items[k].name, homes->items[i].name) == 0)
			return true;
	return false;
}

static void local_line(const struct inspect_call *call, const struct inspect_variable *home,
		       struct str *out)
{
	struct inspect_value v;
	ERROR(err);

	str_addf(out, "%s %s = ", home->type, home->name);
	if (!is_alive(call, home))
		str_addf(out, "(no value yet: line %u declares it)", home->declared);
	else if (inspect_variable(call, home->name, &v, &err) == 0)
		inspect_describe(&v, out);
	else
		str_addf(out, "(%s)", error_text(&err));
	str_add(out, "\n");
}

int interactive_locals(struct interactive *l, const char *thread, struct str *out,
		       struct error *err)
{
	struct run_thread *t = interactive_thread(l, thread, err);
	struct inspect_variables homes = {0};
	const struct inspect_call *call;
	struct inspect_stack calls;
	int failed;

	if (!t || interactive_calls(t, &calls, err) < 0)
		return -1;
	call = interactive_own_call(t, &calls);
	str_addf(out, "in %s", call->function ? call->function : "?");
	if (call->file && call->line)
		str_addf(out, " at %s:%u", path_shown(call->file), call->line);
	str_add(out, "\n");
	failed = inspect_variables_at(call->frame.module, call->frame.lookup_pc - call->frame.bias,
				      call->scope, &homes, err);
	for (size_t i = 0; i < homes.count; i++)
		if (!named_before(&homes, i))
			local_line(call, &homes.items[i], out);
	if (!failed && !homes.count)
		str_addf(out, "no variables here%s\n", without_debug(call));
	inspect_variables_fini(&homes);
	inspect_stack_fini(&calls);
	return failed;
}

/* Expressions are evaluated as hit:eval does; the user has typed `print`. */
static int name_print(struct error *err)
{
	static const char who[] = "hit:eval";
	const char *what = error_text(err);
	ERROR(named);

	if (strncmp(what, who, strlen(who)) != 0)
		return -1;
	error_set(&named, err->code, "print%s", what + strlen(who));
	if (err->hint)
		error_hint(&named, "%s", err->hint);
	return error_move(err, &named);
}

int interactive_print(struct interactive *l, const char *thread, const char *expression,
		      struct str *out, struct error *err)
{
	struct run_thread *t = interactive_thread(l, thread, err);
	struct inspect_stack calls;
	struct inspect_value v;
	int failed;

	if (!t || interactive_calls(t, &calls, err) < 0)
		return -1;
	failed = inspect_eval(interactive_own_call(t, &calls), expression, &v, err);
	if (!failed) {
		inspect_print(&v, out);
		str_add(out, "\n");
		note_dead(interactive_own_call(t, &calls), expression, out);
	} else {
		failed = name_print(err);
	}
	inspect_stack_fini(&calls);
	return failed;
}
