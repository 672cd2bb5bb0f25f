/*
 * Where a thread took the lock that it owns. The program's memory does not say, but the source of
 * the thread's functions may: the last call on the way to where it is that takes this very object,
 * as the debug information confirms, and does not give it back. If more than one way leads there,
 * nothing is said.
 */
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/source/lines/source_lines.h"

#include <ctype.h>
#include <string.h>

enum { MOST_LINES = 3000, MOST_ASKED = 400 };

enum effect { EFFECT_NONE, EFFECT_TAKES, EFFECT_GIVES };

/* ---- words ------------------------------------------------------------------------------------- */

/* Does the word contain "lock", but not as part of block, clock, locked or unlock? */
static bool says_lock(const char *word)
{
	for (const char *at = word; (at = strcasestr(at, "lock")); at += 4) {
		char before = at > word ? (char)tolower((unsigned char)at[-1]) : 0;

		if (before != 'b' && before != 'c' && strncasecmp(at + 4, "ed", 2) != 0 &&
		    strncasecmp(at + 4, "_init", 5) != 0 && strncasecmp(at + 4, "_destroy", 8) != 0)
			return true;
	}
	return false;
}

static enum effect effect_of(const char *word, enum primitive what)
{
	if (strcasestr(word, "unlock") || strcasestr(word, "release") ||
	    strcmp(word, "sem_post") == 0)
		return EFFECT_GIVES;
	if (what == PRIMITIVE_SEMAPHORE && strncmp(word, "sem_", 4) == 0 && strstr(word, "wait"))
		return EFFECT_TAKES;
	if (strcasestr(word, "init") || strcasestr(word, "destroy"))
		return EFFECT_NONE;
	return says_lock(word) || strcasestr(word, "acquire") ? EFFECT_TAKES : EFFECT_NONE;
}

/* Wrappers may be passed what contains the lock; library functions get the lock itself. */
static bool locks_taken_is_wrapper(const struct locks_call *c)
{
	return strncmp(c->word, "pthread_", 8) != 0 && strncmp(c->word, "sem_", 4) != 0 &&
	       !c->declares;
}

/* ---- does a call mean the object? --------------------------------------------------------------- */

static bool expression_means(const struct inspect_call *call, const struct locks_call *c,
			     const char *expression, uint64_t object)
{
	struct str inside = {0}, device = {0};
	bool found;

	if (strlen(expression) > 200 || strchr(expression, '"'))
		return false;
	found = locks_means(call, expression, object, locks_taken_is_wrapper(c) ? &inside : NULL);
	if (!found && expression == c->object) { /* it may be a std::unique_lock or shared_lock */
		str_addf(&device, "%s%s", expression, "._M_device");
		found = locks_means(call, str_text(&device), object, NULL);
		str_clear(&device);
		str_addf(&device, "%s%s", expression, "._M_pm");
		found = found || locks_means(call, str_text(&device), object, NULL);
	}
	str_fini(&inside);
	str_fini(&device);
	return found;
}

static bool is_deferred(const struct locks_call *c)
{
	for (unsigned i = 0; i < c->args; i++)
		if (strstr(c->arg[i], "defer_lock"))
			return true;
	return false;
}

bool locks_call_means(const struct inspect_call *call, const struct locks_call *c, uint64_t object)
{
	if (c->declares && is_deferred(c))
		return false;
	if (c->object && expression_means(call, c, c->object, object))
		return true;
	for (unsigned i = 0; i < c->args; i++)
		if (expression_means(call, c, c->arg[i], object))
			return true;
	return false;
}

/* ---- one function ------------------------------------------------------------------------------- */

struct lock_search {
	struct run *run;
	uint64_t object;
	enum primitive what;
	unsigned asked;
	bool again;	/* it may not have taken it yet on the line where it is */
	bool recursive; /* it may be taken more than once */
};

/* What is known of the way through a function, from its start to where the thread is. */
struct lock_state {
	const struct locks_call *taken;
	unsigned levels; /* how often it has been taken and not given back */
	bool doubt;	 /* it may have been given back */
};

static bool locks_taken_is_over(const struct locks_call *c, unsigned line)
{
	return c->until && c->until < line;
}

/* Was this call not on the way, or was its effect undone? */
static bool is_aside(const struct locks_call *c, unsigned line)
{
	return locks_taken_is_over(c, line) && (c->jumps || c->declares || c->lambda);
}

/* What depends on a condition may not have happened: no lock is said to have been taken there. */
static void pass_call(struct lock_state *state, const struct locks_call *c, enum effect effect,
		      bool maybe)
{
	if (effect == EFFECT_GIVES && maybe)
		state->doubt = true;
	else if (effect == EFFECT_GIVES)
		state->levels -= state->levels > 0;
	else if (!maybe && !state->levels++)
		state->taken = c;
}

/* The call in this function that took the object; NULL: there is none, or it cannot be told. */
static const struct locks_call *taken_in(struct lock_search *search,
					 const struct inspect_call *call,
					 const struct locks_calls *calls)
{
	struct lock_state state = {0};

	array_each(const struct locks_call, c, calls) {
		enum effect effect = effect_of(c->word, search->what);

		if (effect == EFFECT_NONE || c->line > call->line || is_aside(c, call->line) ||
		    (c->last >= call->line && search->again) || search->asked++ > MOST_ASKED ||
		    !locks_call_means(call, c, search->object))
			continue;
		pass_call(&state, c, effect, locks_taken_is_over(c, call->line) || c->guarded);
	}
	return !state.doubt && (state.levels == 1 || (state.levels && search->recursive))
		       ? state.taken
		       : NULL;
}

/* In a loop it may have been taken further down, in the previous round. */
static bool taken_below(struct lock_search *search, const struct inspect_call *call,
			const struct locks_calls *calls)
{
	array_each(const struct locks_call, c, calls)
		if (c->line > call->line && effect_of(c->word, search->what) == EFFECT_TAKES &&
		    search->asked++ < MOST_ASKED && locks_call_means(call, c, search->object))
			return true;
	return false;
}

static bool search_function(struct lock_search *search, const struct inspect_call *call,
			    struct owner *out)
{
	unsigned first = inspect_call_begins(call), end;
	struct locks_calls calls = {0};
	struct source_text text;
	const struct locks_call *taken;

	if (!first || first > call->line || call->line - first > MOST_LINES)
		return false;
	if (!source_text(search->run->symbols, call->file, &text))
		return false;
	end = locks_loop_end(text.lines, text.count, first, call->line);
	locks_text(text.lines, text.count, first, end > call->line ? end : call->line, &calls);
	taken = taken_in(search, call, &calls);
	if (taken && !taken_below(search, call, &calls)) {
		out->file = call->file;
		out->line = taken->line;
		out->call = call;
	}
	locks_text_fini(&calls);
	return out->call == call;
}

bool locks_taken(struct waiters *all, const struct waiter *owner, const struct waiter *wants,
		 struct owner *out)
{
	struct lock_search search = {.run = all->run,
				     .object = wants->object,
				     .what = wants->what,
				     .again = owner->object == wants->object ||
					      wants->what == PRIMITIVE_SEMAPHORE || wants->readers,
				     .recursive = wants->readers || glibc_is_recursive(wants)};

	for (size_t i = owner->own; i < owner->stack.count; i = caller_own(owner, i + 1)) {
		const struct inspect_call *call = &owner->stack.items[i];

		if (call->file && call->line && search_function(&search, call, out))
			return true;
	}
	return false;
}
