/* The calls of a thread, and which of them are in the tester's own code: in the program,
 * in a library that is not the system's, or in a module with a place. README.md says
 * which call is reported. */
#include "tracer/base/files/path.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/tracee/threads/threads.h"

#include <string.h>
#include <sys/syscall.h>

enum { MOST_CALLS = 64, MOST_AROUND = 2 };

static bool has_place(const struct waiters *all, const struct module *m)
{
	array_each(struct module *, placed, &all->placed)
		if (*placed == m)
			return true;
	return false;
}

bool caller_is_system(const struct module *m)
{
	return path_is_system_object(module_path(m));
}

void caller_modules(struct waiters *all)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(run_engine(all->run), i)); i++) {
		const struct run_place *place = p->user;

		if (!place)
			continue;
		array_each(struct source_sites *, sites, run_place_results(place)) {
			struct module *m = (*sites)->count ? (*sites)->items[0].module : NULL;

			if (m && !has_place(all, m))
				*array_add(&all->placed) = m;
		}
	}
}

/* True if the call is in the program, or in a module with a place of the script. */
static bool is_meant(const struct waiter *w, const struct inspect_call *call)
{
	const struct module *m = call->frame.module;

	return m && (m == run_process_exe(run_process_of(w->thread)) ||
		     (w->all && has_place(w->all, m)));
}

bool caller_is_own(const struct waiter *w, const struct inspect_call *call)
{
	/* the caller of std::mutex::lock is of interest */
	if (!call->frame.module || (call->file && path_is_system_source(call->file)))
		return false;
	return is_meant(w, call) || !caller_is_system(call->frame.module);
}

/* In a static program libc has no lines, but the tester's code has: a call without line counts only
 * if there is no other. */
size_t caller_own(const struct waiter *w, size_t i)
{
	size_t first = w->stack.count;

	for (; i < w->stack.count; i++) {
		const struct inspect_call *call = &w->stack.items[i];

		if (!caller_is_own(w, call))
			continue;
		if (call->line || !module_has_debug(call->frame.module))
			return i;
		if (first == w->stack.count)
			first = i;
	}
	return first;
}

/* ---- the reported call ------------------------------------------------------------------- */

/* True if the name looks like a wrapper of a wait: "nni_cv_wait", "Mutex::lock". */
static bool is_wrapper(const char *function)
{
	static const char *const names[] = {
		"*futex*",	 "*mutex*lock*", "*cond*wait*", "*cv*wait*",   "*sem*wait*",
		"*rwlock*lock*", "*rdlock*",	 "*wrlock*",	"*spin*lock*", "*barrier*wait*",
		"*event*wait*",	 "*::lock",	 "*::wait",	"*::acquire",  NULL};
	char *name = base_strdup(function ? function : "");
	bool found = false;

	for (char *c = name; *c; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
	for (size_t i = 0; names[i] && !found; i++)
		found = str_wildcard(names[i], name);
	base_free(name);
	return found;
}

/* Reports the caller of wrappers. A wrapper in the caller's own file counts as the caller. */
static size_t behind_wrappers(const struct waiter *w, size_t first)
{
	size_t last = first;

	while (last < w->stack.count && is_wrapper(w->stack.items[last].function))
		last = caller_own(w, last + 1);
	if (last >= w->stack.count || !w->stack.items[last].line)
		return first;
	for (size_t i = first; i < last; i = caller_own(w, i + 1))
		if (w->stack.items[i].file &&
		    str_same(w->stack.items[i].file, w->stack.items[last].file))
			return i;
	return last;
}

/* Returns the first call in the program that has a line, if there is one. */
static size_t told(const struct waiter *w)
{
	for (size_t i = w->own; i < w->stack.count; i++)
		if (w->stack.items[i].line && is_meant(w, &w->stack.items[i]) &&
		    caller_is_own(w, &w->stack.items[i]))
			return behind_wrappers(w, i);
	return w->own < w->stack.count ? behind_wrappers(w, w->own) : w->own;
}

void caller_look(struct run *s, struct waiter *w)
{
	struct run_thread *t = w->thread;
	bool runs = run_thread_tracee(t)->state == TRACEE_RUNNING;
	bool paused = runs && tracee_pause(run_tracee(s), run_thread_tracee(t)) == 0;
	struct dwarf_frame first;
	struct arch_regs regs;

	/* A thread that was not paused may have stopped by itself, on its way back into a call that
	 * was interrupted: it can be read there, too. */
	if (run_thread_tracee(t)->state == TRACEE_RUNNING)
		return;
	pages_forget(s);
	if (tracee_regs(run_thread_tracee(t), &regs) == 0) {
		dwarf_frame_first(run_process_program(run_process_of(t)), t, &regs, &first);
		inspect_stack(&first, calls_scope(t), MOST_CALLS, &w->stack);
		w->own = caller_own(w, 0);
		w->told = told(w);
	}
	if (paused)
		tracee_resume(run_tracee(s), run_thread_tracee(t));
}

/* ---- calls around the reported one ------------------------------------------------------- */

static void add_call(const struct inspect_call *call, struct str *out)
{
	str_add(out, call->function);
	if (call->file && call->line)
		str_addf(out, " at %s:%u", str_base_name(call->file), call->line);
}

/* True if the function only repeats the kind of the wait, or is internal to a library. */
static bool says_nothing(const struct waiter *w, const char *function)
{
	static const char *const known[] = {"_*",     "std::*", "thrd_*",    "mtx_*",	  "cnd_*",
					    "malloc", "free",	"sem_*wait", "call_once", NULL};

	for (size_t i = 0; known[i]; i++)
		if (str_wildcard(known[i], function))
			return true;
	return kinds_of(function) != WAITING_GONE || w->stream;
}

/* Adds the library function that the reported call has called and, further in, the tester's call in
 * which the thread waits. Returns the number of calls added. */
static unsigned add_inside(const struct waiter *w, bool blocked, struct str *out)
{
	const struct inspect_call *in, *last;

	if (!w->told || w->loops)
		return 0;
	in = &w->stack.items[w->told - 1];
	if (!in->function ||
	    (!(caller_is_own(w, in) && in->line) &&
	     ((blocked && w->block.number != SYS_futex) || says_nothing(w, in->function))))
		return 0;
	str_add(out, "; inside ");
	add_call(in, out);
	last = &w->stack.items[w->own];
	if (w->own + 1 >= w->told || !last->function || !last->line)
		return 1;
	str_add(out, ", ");
	add_call(last, out);
	return 2;
}

void caller_around(const struct waiter *w, bool blocked, struct str *out)
{
	const char *how = ", called from ";
	STR(inside);
	unsigned count;

	if (w->told >= w->stack.count)
		return;
	count = add_inside(w, blocked, &inside);
	for (size_t i = caller_own(w, w->told + 1); count < MOST_AROUND && i < w->stack.count;
	     i = caller_own(w, i + 1), count++) {
		const struct inspect_call *call = &w->stack.items[i];

		if (!call->function || !call->line)
			break;
		str_add(out, how);
		how = ", from ";
		add_call(call, out);
	}
	str_add(out, str_text(&inside));
}
