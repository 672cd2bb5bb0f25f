/*
 * Who could signal a condition variable? The program's memory does not say, but the source of the
 * other threads' functions may: a call further on in one of them that signals this very object, as
 * the debug information confirms, or that calls a function which does. If the source does not show
 * it, nothing is said.
 */
#include "tracer/run/modules/images.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/base/text/word.h"

#include <string.h>

enum { MOST_FILES = 32, MOST_LINES = 10000, MOST_SIGNALS = 64, MOST_LEVELS = 3, MOST_ASKED = 400 };

/* A line that signals, or that calls a function which does. */
struct signal {
	char *function; /* the function with the line, without namespaces and classes */
	char *member;	/* it signals the member of this name; NULL: this very object */
};

struct text {
	const char *file;
	struct locks_calls calls;
};

struct signal_search {
	struct run *run;
	const struct waiters *all;
	const struct waiter *waiter;
	ARRAY(struct text) texts; /* of the files that threads' calls are in */
	ARRAY(struct signal) signals;
	unsigned asked;
};

/* ---- words ------------------------------------------------------------------------------------- */

static bool says_signal(const char *word)
{
	return strcasestr(word, "signal") || strcasestr(word, "broadcast") ||
	       strcasestr(word, "notify") || strcasestr(word, "wake");
}

/* "not_empty" of "&q->not_empty", "put" of "Queue::put"; points into the text. */
static const char *last_name(const char *text)
{
	return word_before(text, text + strlen(text));
}

/* "q" of "&q->not_empty"; base_free'd by the caller. */
static char *first_name(const char *text)
{
	text += strspn(text, "&*( ");
	return base_strndup(text, word_length(text));
}

static const char *signalled(const struct locks_call *c)
{
	return c->object ? c->object : c->args ? c->arg[0] : "";
}

/* ---- the lines that signal --------------------------------------------------------------------- */

/* The function that this line is in; NULL: it cannot be told. Owned by the caller. */
static char *function_at(struct signal_search *search, const char *file, unsigned line)
{
	const struct run_process *p = search->waiter->thread->process;
	struct module **modules = images_modules(p);
	struct source_sites sites = {0};
	struct location location;
	ERROR(ignored);
	struct str text = {0};
	char *name = NULL;

	str_addf(&text, "%s:%u", file, line);
	if (location_parse(str_text(&text), &location, &ignored) == 0) {
		if (source_resolve(search->run->symbols, modules, p->images.count, &location,
				   &sites, &ignored) == SOURCE_FOUND &&
		    sites.count && sites.items[0].function)
			name = base_strdup(last_name(sites.items[0].function));
		location_fini(&location);
	}
	source_sites_fini(&sites);
	str_fini(&text);
	base_free(modules);
	return name;
}

static void add_signal(struct signal_search *search, const char *file, unsigned line,
		       const char *member)
{
	char *function;

	if (search->signals.count >= MOST_SIGNALS)
		return;
	function = function_at(search, file, line);
	if (function)
		*array_add(&search->signals) =
			(struct signal){function, member ? base_strdup(member) : NULL};
}

/* A call of the tester's in this file, in which names of the file can be resolved; or NULL. */
static const struct inspect_call *call_in(const struct signal_search *search, const char *file)
{
	for (size_t i = 0; i < search->all->count; i++) {
		const struct waiter *w = &search->all->items[i];

		if (w->thread->process != search->waiter->thread->process)
			continue;
		for (size_t k = w->own; k < w->stack.count; k = caller_own(w, k + 1))
			if (w->stack.items[k].file && strcmp(w->stack.items[k].file, file) == 0)
				return &w->stack.items[k];
	}
	return NULL;
}

/* Does the expression mean the object everywhere in the file? Then it begins with a global
   variable, which nothing hides at the call where it is evaluated. */
static bool is_global(const struct signal_search *search, const char *file, const char *expression)
{
	const struct inspect_call *call = call_in(search, file);
	char *name = first_name(expression);
	struct inspect_value here, global;
	ERROR(ignored);
	bool found;

	found = call && *name && inspect_eval(call, name, &here, &ignored) == 0 &&
		inspect_global(call->frame.program, NULL, name, &global, &ignored) == 0 &&
		here.place == INSPECT_IN_MEMORY && global.place == INSPECT_IN_MEMORY &&
		here.address == global.address &&
		locks_means(call, expression, search->waiter->object, NULL);
	base_free(name);
	return found;
}

static void find_signals(struct signal_search *search)
{
	array_each(const struct text, text, &search->texts) {
		array_each(const struct locks_call, c, &text->calls) {
			const char *expression = signalled(c), *name = last_name(expression);

			if (!says_signal(c->word) || !*name || search->asked++ > MOST_ASKED)
				continue;
			if (is_global(search, text->file, expression))
				add_signal(search, text->file, c->line, NULL);
			else if (name > expression || c->object)
				add_signal(search, text->file, c->line, name);
		}
	}
}

static bool signals_is_known(const struct signal_search *search, const char *function)
{
	array_each(const struct signal, s, &search->signals)
		if (!s->member && strcmp(s->function, function) == 0)
			return true;
	return false;
}

static void find_callers(struct signal_search *search)
{
	for (unsigned level = 0; level < MOST_LEVELS; level++)
		array_each(const struct text, text, &search->texts)
			array_each(const struct locks_call, c, &text->calls)
				if (c->depth && signals_is_known(search, last_name(c->word)) &&
				    search->asked++ < MOST_ASKED)
					add_signal(search, text->file, c->line, NULL);
}

/* ---- who is on the way to one ------------------------------------------------------------------- */

/* Is the object a member of this name in what the call is passed, or in its own object? */
static bool signals_passes(const struct inspect_call *call, const struct locks_call *c,
			   const char *member, uint64_t object)
{
	bool found = false;

	for (int i = c->object ? -1 : 0; i < (int)c->args && !found; i++) {
		struct str inside = {0};

		found = locks_means(call, i < 0 ? c->object : c->arg[i], object, &inside) &&
			strcmp(last_name(str_text(&inside)), member) == 0;
		str_fini(&inside);
	}
	return found;
}

static bool would_signal(struct signal_search *search, const struct inspect_call *call,
			 const struct locks_call *c)
{
	uint64_t object = search->waiter->object;

	if (search->asked++ > MOST_ASKED)
		return false;
	if (says_signal(c->word) && locks_call_means(call, c, object))
		return true;
	array_each(const struct signal, s, &search->signals)
		if (strcmp(s->function, last_name(c->word)) == 0 &&
		    (!s->member || signals_passes(call, c, s->member, object)))
			return true;
	return false;
}

/* Is the thread held before the statement of this call? Then what the line does is still to
   come. */
static bool signals_is_before(const struct waiter *other, const struct inspect_call *call)
{
	const struct place *place = other->thread->hold.place;

	return other->thread->engine->held && place && !place->after &&
	       call == &other->stack.items[other->own];
}

static bool search_function(struct signal_search *search, const struct waiter *other,
			    const struct inspect_call *call, struct owner *out)
{
	unsigned first = inspect_call_begins(call), from = call->line, end;
	struct locks_calls calls = {0};
	struct source_text text;

	if (!first || first > call->line || call->line - first > MOST_LINES ||
	    !source_text(search->run->symbols, call->file, &text))
		return false;
	end = locks_function_end(text.lines, text.count, first);
	if (end < call->line)
		return false;
	if (!signals_is_before(other, call))
		from++;
	if (locks_loop_end(text.lines, text.count, first, call->line))
		from = first; /* in the next round */
	locks_text(text.lines, text.count, first, end, &calls);
	array_each(const struct locks_call, c, &calls) {
		if (!c->depth || c->line < from || !would_signal(search, call, c))
			continue;
		*out = (struct owner){other->thread, call->file, c->line, call};
		break;
	}
	locks_text_fini(&calls);
	return out->call != NULL;
}

static bool could_signal(struct signal_search *search, const struct waiter *other,
			 struct owner *out)
{
	const struct waiter *w = search->waiter;

	if (other == w || other->thread->process != w->thread->process ||
	    (other->what == PRIMITIVE_CONDITION && other->object == w->object))
		return false;
	for (size_t i = other->own; i < other->stack.count; i = caller_own(other, i + 1)) {
		const struct inspect_call *call = &other->stack.items[i];

		if (call->file && call->line && search_function(search, other, call, out))
			return true;
	}
	return false;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void signals_add_text(struct signal_search *search, const char *file)
{
	struct source_text source;
	struct text *text;

	array_each(const struct text, known, &search->texts)
		if (strcmp(known->file, file) == 0)
			return;
	if (search->texts.count >= MOST_FILES ||
	    !source_text(search->run->symbols, file, &source) || source.count > MOST_LINES)
		return;
	text = array_add(&search->texts);
	text->file = file;
	locks_text(source.lines, source.count, 1, (unsigned)source.count, &text->calls);
}

static void read_texts(struct signal_search *search)
{
	for (size_t i = 0; i < search->all->count; i++) {
		const struct waiter *w = &search->all->items[i];

		if (w->thread->process != search->waiter->thread->process)
			continue;
		for (size_t k = w->own; k < w->stack.count; k = caller_own(w, k + 1))
			if (w->stack.items[k].file && w->stack.items[k].line)
				signals_add_text(search, w->stack.items[k].file);
	}
}

static void search_fini(struct signal_search *search)
{
	array_each(struct text, text, &search->texts)
		locks_text_fini(&text->calls);
	array_each(struct signal, s, &search->signals) {
		base_free(s->function);
		base_free(s->member);
	}
	array_fini(&search->texts);
	array_fini(&search->signals);
}

void signals_find(struct waiters *all, struct waiter *w)
{
	struct signal_search search = {.run = all->run, .all = all, .waiter = w};

	read_texts(&search);
	find_signals(&search);
	find_callers(&search);
	for (size_t i = 0; i < all->count; i++) {
		struct owner o = {0};

		if (could_signal(&search, &all->items[i], &o))
			*array_add(&w->owners) = o;
	}
	search_fini(&search);
}
