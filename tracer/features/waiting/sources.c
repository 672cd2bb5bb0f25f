/* Finds in the source where a thread took the lock that it owns, and which threads could signal a
 * condition variable. Only calls count that the debug information confirms for this object, and
 * only if a single path leads there (README.md). */
#include "tracer/run/modules/images.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

enum { MOST_FILES = 32, MOST_LINES = 10000, MOST_SIGNALS = 64, MOST_LEVELS = 3 };
enum { MOST_ASKED = 400, MOST_TEXT = 200 };

/* ---- object of a call -------------------------------------------------------------------- */

static bool expression_means(const struct inspect_call *call, const struct locks_call *c,
			     const char *expression, uint64_t object)
{
	/* members with the mutex in std::unique_lock and std::shared_lock */
	static const char *const members[] = {"._M_device", "._M_pm"};
	STR(inside);
	/* a wrapper may be passed what contains the lock; library functions get the lock itself */
	bool wrapper = strncmp(c->word, "pthread_", 8) != 0 && strncmp(c->word, "sem_", 4) != 0 &&
		       !c->declares;
	bool found;

	if (strlen(expression) > MOST_TEXT || strchr(expression, '"'))
		return false;
	found = locks_means(call, expression, object, wrapper ? &inside : NULL);
	for (size_t i = 0; i < 2 && !found && expression == c->object; i++) {
		str_clear(&inside);
		str_addf(&inside, "%s%s", expression, members[i]);
		found = locks_means(call, str_text(&inside), object, NULL);
	}
	return found;
}

/* True if the call, written at the frame `call`, has the object as an argument or is its method. */
static bool call_means(const struct inspect_call *call, const struct locks_call *c, uint64_t object)
{
	for (unsigned i = 0; c->declares && i < c->args; i++)
		if (strstr(c->arg[i], "defer_lock"))
			return false;
	if (c->object && expression_means(call, c, c->object, object))
		return true;
	for (unsigned i = 0; i < c->args; i++)
		if (expression_means(call, c, c->arg[i], object))
			return true;
	return false;
}

/* Source text of a function: its first line, and the end of the outermost loop
 * around the call, or 0. */
struct body {
	struct source_text text;
	unsigned first, loop_end;
};

static bool body_of(struct run *s, const struct inspect_call *call, struct body *out)
{
	unsigned first = inspect_call_begins(call);

	if (!call->file || !call->line || !first || first > call->line ||
	    call->line - first > MOST_LINES || !source_text(run_symbols(s), call->file, &out->text))
		return false;
	out->first = first;
	out->loop_end = locks_loop_end(out->text.lines, out->text.count, first, call->line);
	return true;
}

/* ---- where a lock was taken -------------------------------------------------------------- */

enum effect { EFFECT_NONE, EFFECT_TAKES, EFFECT_GIVES };

/* True if the word contains "lock", but not in block, clock, locked, lock_init or lock_destroy. */
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

static enum effect effect_of(const char *word, enum waiting_kind what)
{
	if (strcasestr(word, "unlock") || strcasestr(word, "release") ||
	    strcmp(word, "sem_post") == 0)
		return EFFECT_GIVES;
	if (what == WAITING_SEMAPHORE && strncmp(word, "sem_", 4) == 0 && strstr(word, "wait"))
		return EFFECT_TAKES;
	if (strcasestr(word, "init") || strcasestr(word, "destroy"))
		return EFFECT_NONE;
	return says_lock(word) || strcasestr(word, "acquire") ? EFFECT_TAKES : EFFECT_NONE;
}

struct lock_search {
	struct run *run;
	uint64_t object;
	enum waiting_kind what;
	unsigned asked;
	bool again;	/* the thread may not have taken it yet on its current line */
	bool recursive; /* it may be taken more than once */
};

/* State on the path from the function's start to the thread's line. */
struct lock_state {
	const struct locks_call *taken;
	unsigned levels; /* number of times it was taken and not released */
	bool doubt;	 /* it may have been released */
};

/* A conditional call may not have been executed: a lock does not count as taken there. */
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

/* Returns the call in this function that took the object, or NULL if there is none or it is
 * unknown. In a loop, the previous round may have taken it further down. */
static const struct locks_call *taken_in(struct lock_search *search,
					 const struct inspect_call *call,
					 const struct locks_calls *calls)
{
	struct lock_state state = {0};

	array_each(const struct locks_call, c, calls) {
		enum effect effect = effect_of(c->word, search->what);
		bool below = c->line > call->line;
		bool over = c->until && c->until < call->line;

		if (effect == EFFECT_NONE || (below && (effect == EFFECT_GIVES || !state.taken)) ||
		    (over && (c->jumps || c->declares || c->lambda)) ||
		    (!below && c->last >= call->line && search->again) ||
		    search->asked++ > MOST_ASKED || !call_means(call, c, search->object))
			continue;
		if (below)
			return NULL;
		pass_call(&state, c, effect, over || c->guarded);
	}
	return !state.doubt && (state.levels == 1 || (state.levels && search->recursive))
		       ? state.taken
		       : NULL;
}

static bool search_taken(struct lock_search *search, const struct inspect_call *call,
			 struct owner *out)
{
	struct locks_calls calls = {0};
	const struct locks_call *taken;
	struct body body;

	if (!body_of(search->run, call, &body))
		return false;
	locks_text(body.text.lines, body.text.count, body.first,
		   body.loop_end > call->line ? body.loop_end : call->line, &calls);
	taken = taken_in(search, call, &calls);
	if (taken) {
		out->file = call->file;
		out->line = taken->line;
		out->call = call;
	}
	locks_text_fini(&calls);
	return out->call == call;
}

static bool locks_taken(struct waiters *all, const struct waiter *owner, const struct waiter *wants,
			struct owner *out)
{
	struct lock_search search = {.run = all->run,
				     .object = wants->object,
				     .what = wants->what,
				     .again = owner->object == wants->object ||
					      wants->what == WAITING_SEMAPHORE || wants->readers,
				     .recursive = wants->readers || glibc_is_recursive(wants)};

	for (size_t i = owner->own; i < owner->stack.count; i = caller_own(owner, i + 1))
		if (search_taken(&search, &owner->stack.items[i], out))
			return true;
	return false;
}

/* ---- mutexes of a thread ----------------------------------------------------------------- */

/* Adds the mutex that the expression means if the thread owns it. */
static void add_owned(struct run_thread *t, const struct inspect_call *call, unsigned line,
		      const char *expression, struct waiting_owns *out)
{
	uint32_t tid = (uint32_t)run_thread_engine(t)->tid, owner = 0;
	struct inspect_value v;
	ERROR(ignored);
	uint64_t mutex;

	if (strlen(expression) > MOST_TEXT || strchr(expression, '"') ||
	    inspect_eval(call, expression, &v, &ignored) < 0 ||
	    inspect_address(&v, &mutex, &ignored) < 0 ||
	    tracee_read(run_process_tracee(run_process_of(t)), mutex + GLIBC_MUTEX_OWNER, &owner,
			sizeof(owner)) < 0 ||
	    owner != tid)
		return;
	array_each(const struct waiting_owned, known, out)
		if (known->mutex == mutex)
			return;
	*array_add(out) = (struct waiting_owned){
		mutex, base_strdup(expression + strspn(expression, "& ")), call->file, line};
}

static void owned_in(struct run *s, struct run_thread *t, const struct inspect_call *call,
		     struct waiting_owns *out)
{
	struct locks_calls calls = {0};
	struct body body;

	if (!body_of(s, call, &body))
		return;
	locks_text(body.text.lines, body.text.count, body.first, call->line, &calls);
	array_each(const struct locks_call, c, &calls) {
		if (effect_of(c->word, WAITING_MUTEX) != EFFECT_TAKES)
			continue;
		if (c->object)
			add_owned(t, call, c->line, c->object, out);
		for (unsigned i = 0; i < c->args; i++)
			add_owned(t, call, c->line, c->arg[i], out);
	}
	locks_text_fini(&calls);
}

/* Goes up as far as the tester's own code: debug information of libraries takes time to read. */
void waiting_owns_read(struct run *s, struct run_thread *t, struct waiting_owns *out)
{
	struct dwarf_frame frame, inner;
	struct arch_regs regs;
	ERROR(ignored);
	int more = 1;

	if (!run_thread_tracee(t) || tracee_regs(run_thread_tracee(t), &regs) < 0)
		return;
	dwarf_frame_first(run_process_program(run_process_of(t)), t, &regs, &frame);
	while (more > 0 && frame.module && !caller_is_system(frame.module)) {
		struct inspect_stack calls;

		inspect_stack(&frame, 0, 1, &calls);
		if (calls.count)
			owned_in(s, t, &calls.items[0], out);
		inspect_stack_fini(&calls);
		inner = frame;
		more = dwarf_frame_up(&inner, &frame, &ignored);
	}
}

void waiting_owns_fini(struct waiting_owns *owns)
{
	array_each(struct waiting_owned, o, owns)
		base_free(o->name);
	array_fini(owns);
}

/* ---- lines that signal ------------------------------------------------------------------- */

/* A line that signals, or that calls a function that does. */
struct signal {
	char *function; /* function with the line, without namespaces and classes */
	char *member;	/* name of the member that it signals; NULL: this object itself */
};

/* A source file that contains calls of threads. */
struct text {
	const char *file;
	struct locks_calls calls;
};

struct signal_search {
	struct run *run;
	const struct waiters *all;
	const struct waiter *waiter;
	ARRAY(struct text) texts;
	ARRAY(struct signal) signals;
	unsigned asked;
};

static bool says_signal(const char *word)
{
	return strcasestr(word, "signal") || strcasestr(word, "broadcast") ||
	       strcasestr(word, "notify") || strcasestr(word, "wake");
}

/* Returns "not_empty" for "&q->not_empty", "put" for "Queue::put"; points into the text. */
static const char *last_name(const char *text)
{
	return word_before(text, text + strlen(text));
}

/* Returns the function that contains the line, or NULL if unknown; freed by the caller. */
static char *function_at(struct signal_search *search, const char *file, unsigned line)
{
	const struct run_process *p = run_process_of(search->waiter->thread);
	struct module **modules = images_modules(p);
	struct source_sites sites = {0};
	struct location location;
	ERROR(ignored);
	STR(text);
	char *name = NULL;

	str_addf(&text, "%s:%u", file, line);
	if (location_parse(str_text(&text), &location, &ignored) == 0) {
		if (source_resolve(run_symbols(search->run), modules, run_process_images(p)->count,
				   &location, &sites, &ignored) == SOURCE_FOUND &&
		    sites.count && sites.items[0].function)
			name = base_strdup(last_name(sites.items[0].function));
		location_fini(&location);
	}
	source_sites_fini(&sites);
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

/* Calls `visit` for each of the tester's calls in the waiter's process until it returns true.
 * Returns that call, or NULL. */
static const struct inspect_call *each_call(struct signal_search *search,
					    bool (*visit)(struct signal_search *search,
							  const struct inspect_call *call,
							  const char *file),
					    const char *file)
{
	array_each(const struct waiter, w, search->all) {
		if (run_process_of(w->thread) != run_process_of(search->waiter->thread))
			continue;
		for (size_t k = w->own; k < w->stack.count; k = caller_own(w, k + 1))
			if (w->stack.items[k].file && visit(search, &w->stack.items[k], file))
				return &w->stack.items[k];
	}
	return NULL;
}

static bool is_in_file(struct signal_search *search, const struct inspect_call *call,
		       const char *file)
{
	(void)search;
	return strcmp(call->file, file) == 0;
}

/* True if the expression means the object everywhere in the file: it begins with a global variable
 * that no local one hides. */
static bool is_global(struct signal_search *search, const char *file, const char *expression)
{
	const struct inspect_call *call = each_call(search, is_in_file, file);
	const char *first = expression + strspn(expression, "&*( ");
	char *name = base_strndup(first, word_length(first));
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
			const char *expression = c->object ? c->object : c->args ? c->arg[0] : "";
			const char *name = last_name(expression);

			if (!says_signal(c->word) || !*name || search->asked++ > MOST_ASKED)
				continue;
			if (is_global(search, text->file, expression))
				add_signal(search, text->file, c->line, NULL);
			else if (name > expression || c->object)
				add_signal(search, text->file, c->line, name);
		}
	}
}

/* True if a function of this name signals the object itself. */
static bool is_signaller(const struct signal_search *search, const char *function)
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
				if (c->depth && is_signaller(search, last_name(c->word)) &&
				    search->asked++ < MOST_ASKED)
					add_signal(search, text->file, c->line, NULL);
}

static bool add_text(struct signal_search *search, const struct inspect_call *call,
		     const char *unused)
{
	struct source_text source;
	struct text *text;

	(void)unused;
	array_each(const struct text, known, &search->texts)
		if (strcmp(known->file, call->file) == 0)
			return false;
	if (!call->line || search->texts.count >= MOST_FILES ||
	    !source_text(run_symbols(search->run), call->file, &source) ||
	    source.count > MOST_LINES)
		return false;
	text = array_add(&search->texts);
	text->file = call->file;
	locks_text(source.lines, source.count, 1, (unsigned)source.count, &text->calls);
	return false;
}

/* ---- threads that could signal ----------------------------------------------------------- */

/* True if the object is a member of this name in an argument, or in the call's own object. */
static bool passes_member(const struct inspect_call *call, const struct locks_call *c,
			  const char *member, uint64_t object)
{
	bool found = false;

	for (int i = c->object ? -1 : 0; i < (int)c->args && !found; i++) {
		STR(inside);

		found = locks_means(call, i < 0 ? c->object : c->arg[i], object, &inside) &&
			strcmp(last_name(str_text(&inside)), member) == 0;
	}
	return found;
}

static bool would_signal(struct signal_search *search, const struct inspect_call *call,
			 const struct locks_call *c)
{
	uint64_t object = search->waiter->object;

	if (search->asked++ > MOST_ASKED)
		return false;
	if (says_signal(c->word) && call_means(call, c, object))
		return true;
	array_each(const struct signal, s, &search->signals)
		if (strcmp(s->function, last_name(c->word)) == 0 &&
		    (!s->member || passes_member(call, c, s->member, object)))
			return true;
	return false;
}

static bool search_signal(struct signal_search *search, const struct waiter *other,
			  const struct inspect_call *call, struct owner *out)
{
	const struct place *place = run_thread_hold(other->thread)->place;
	/* the thread is held before the statement and has not executed its line */
	bool before = run_thread_is_held(other->thread) && place && !place->after &&
		      call == &other->stack.items[other->own];
	struct locks_calls calls = {0};
	unsigned from, end;
	struct body body;

	if (!body_of(search->run, call, &body))
		return false;
	end = locks_function_end(body.text.lines, body.text.count, body.first);
	if (end < call->line)
		return false;
	/* in a loop, also lines of the next round */
	from = body.loop_end ? body.first : call->line + !before;
	locks_text(body.text.lines, body.text.count, body.first, end, &calls);
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

	if (other == w || run_process_of(other->thread) != run_process_of(w->thread) ||
	    (other->what == WAITING_CONDITION && other->object == w->object))
		return false;
	for (size_t i = other->own; i < other->stack.count; i = caller_own(other, i + 1))
		if (search_signal(search, other, &other->stack.items[i], out))
			return true;
	return false;
}

static void signals_find(struct waiters *all, struct waiter *w)
{
	struct signal_search search = {.run = all->run, .all = all, .waiter = w};

	each_call(&search, add_text, NULL);
	find_signals(&search);
	find_callers(&search);
	array_each(const struct waiter, other, all) {
		struct owner o = {0};

		if (could_signal(&search, other, &o))
			*array_add(&w->owners) = o;
	}
	array_each(struct text, text, &search.texts)
		locks_text_fini(&text->calls);
	array_each(struct signal, s, &search.signals) {
		base_free(s->function);
		base_free(s->member);
	}
	array_fini(&search.texts);
	array_fini(&search.signals);
}

/* ---- owners ------------------------------------------------------------------------------ */

static const struct waiter *waiter_of(const struct waiters *all, const struct run_thread *t)
{
	array_each(const struct waiter, w, all)
		if (w->thread == t)
			return w;
	return NULL;
}

/* Readers of a rwlock and takers of a semaphore are recorded nowhere: only the source shows them. A
 * reader that requests its own rwlock again is one of them. */
static void find_takers(struct waiters *all, struct waiter *w)
{
	bool unwritten = w->readers || w->what == WAITING_SEMAPHORE;

	array_each(const struct waiter, other, all) {
		struct owner o = {.thread = other->thread};

		if (unwritten && (other != w || w->readers) &&
		    run_process_of(other->thread) == run_process_of(w->thread) &&
		    locks_taken(all, other, w, &o))
			*array_add(&w->owners) = o;
	}
}

void waiters_find_owners(struct waiters *all, struct waiter *w)
{
	glibc_owners(all, w);
	if (!w->object)
		return;
	if (w->what == WAITING_CONDITION) {
		signals_find(all, w);
		return;
	}
	array_each(struct owner, o, &w->owners) {
		const struct waiter *other = waiter_of(all, o->thread);

		if (other && w->what != WAITING_JOIN)
			locks_taken(all, other, w, o);
	}
	find_takers(all, w);
}
