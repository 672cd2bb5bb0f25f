/*
 * The calls of a thread that is not held, and which of them are in the tester's own code: in the
 * program, in a library that is not the system's, or in one that a place of the script is in.
 * Libraries further in (libc) are what it blocks in. The thread is stopped for a moment to be
 * asked.
 *
 * One of the tester's calls is reported: the innermost one in the program, or in a module with a
 * place; if that is in a wrapper of a wait, the call of the wrapper.
 */
#include "tracer/run/threads/calls.h"
#include "tracer/run/threads/pages.h"
#include "tracer/features/waiting/waiting_internal.h"

#include <ctype.h>
#include <string.h>

enum { MOST_CALLS = 64 };

static bool has_place(const struct waiters *all, const struct module *m)
{
	array_each(struct module *, placed, &all->placed)
		if (*placed == m)
			return true;
	return false;
}

/* Does the path begin with the components of one of these directories? */
static bool is_below(const char *path, const char *const *directories)
{
	for (; *directories; directories++)
		if (strncmp(path, *directories, strlen(*directories)) == 0)
			return true;
	return false;
}

/* A tester does not look at system libraries. */
static bool is_system_library(const char *path)
{
	static const char *const directories[] = {
		"/lib/",       "/lib32/",     "/lib64/",      "/libx32/",      "/usr/lib/",
		"/usr/lib32/", "/usr/lib64/", "/usr/libx32/", "/usr/libexec/", NULL};

	return is_below(path, directories);
}

/* In std::mutex::lock the caller is of interest. Compilers write paths of their headers in
   roundabout ways (/usr/bin/../lib/gcc/../../include). */
static bool is_system_source(const char *file)
{
	static const char *const directories[] = {"/usr/", "/rustc/", NULL};
	static const char *const but[] = {"/usr/src/", "/usr/local/src/", NULL};

	return is_below(file, directories) && !is_below(file, but);
}

bool caller_is_system(const struct module *m)
{
	return is_system_library(module_path(m));
}

void caller_modules(struct run *s, struct waiters *all)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(s->engine, i)); i++) {
		const struct run_place *place = p->user;

		if (!place)
			continue;
		array_each(struct source_sites *, sites, &place->results) {
			struct module *m = (*sites)->count ? (*sites)->items[0].module : NULL;

			if (m && !has_place(all, m))
				*array_add(&all->placed) = m;
		}
	}
}

/* Is it in the program, or in a module with a place of the script? */
static bool caller_is_meant(const struct waiter *w, const struct inspect_call *call)
{
	const struct module *m = call->frame.module;

	return m && (m == w->thread->process->exe || (w->all && has_place(w->all, m)));
}

bool caller_is_own(const struct waiter *w, const struct inspect_call *call)
{
	if (!call->frame.module || (call->file && is_system_source(call->file)))
		return false;
	return caller_is_meant(w, call) || !caller_is_system(call->frame.module);
}

/* In a static program libc has no lines, but the tester's code has. */
static bool has_line(const struct inspect_call *call)
{
	return call->line || !module_has_debug(call->frame.module);
}

size_t caller_own(const struct waiter *w, size_t i)
{
	size_t first = w->stack.count;

	for (; i < w->stack.count; i++) {
		const struct inspect_call *call = &w->stack.items[i];

		if (!caller_is_own(w, call))
			continue;
		if (has_line(call))
			return i;
		if (first == w->stack.count)
			first = i;
	}
	return first;
}

/* ---- which one is reported ---------------------------------------------------------------------- */

/* Does the name look like somebody's own wrapper of a wait: "nni_cv_wait", "Mutex::lock"? */
static bool caller_is_wrapper(const char *function)
{
	static const char *const names[] = {
		"*futex*",	 "*mutex*lock*", "*cond*wait*", "*cv*wait*",   "*sem*wait*",
		"*rwlock*lock*", "*rdlock*",	 "*wrlock*",	"*spin*lock*", "*barrier*wait*",
		"*event*wait*",	 "*::lock",	 "*::wait",	"*::acquire",  NULL};
	struct str name = {0};
	bool found = false;

	for (; function && *function; function++) {
		const char lower = (char)tolower((unsigned char)*function);

		str_add_bytes(&name, &lower, 1);
	}
	for (size_t i = 0; names[i] && !found; i++)
		found = str_wildcard(names[i], str_text(&name));
	str_fini(&name);
	return found;
}

/* The next call from `i` on in the program that has a line; stack.count: there is none. */
static size_t next_meant(const struct waiter *w, size_t i)
{
	while (i < w->stack.count &&
	       !(w->stack.items[i].line && caller_is_meant(w, &w->stack.items[i]) &&
		 caller_is_own(w, &w->stack.items[i])))
		i++;
	return i;
}

static bool caller_same_file(const struct inspect_call *a, const struct inspect_call *b)
{
	return a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* Instead of wrappers, their caller is reported; wrappers in the caller's own file count as
   callers. */
static size_t behind_wrappers(const struct waiter *w, size_t first)
{
	size_t last = first;

	while (last < w->stack.count && caller_is_wrapper(w->stack.items[last].function))
		last = caller_own(w, last + 1);
	if (last >= w->stack.count || !w->stack.items[last].line)
		return first;
	for (size_t i = first; i < last; i = caller_own(w, i + 1))
		if (caller_same_file(&w->stack.items[i], &w->stack.items[last]))
			return i;
	return last;
}

static size_t told(const struct waiter *w)
{
	size_t first = w->own, meant;

	if (first >= w->stack.count)
		return first;
	meant = next_meant(w, first);
	if (meant < w->stack.count)
		first = meant;
	return behind_wrappers(w, first);
}

static void read_stack(struct waiter *w)
{
	struct run_thread *t = w->thread;
	struct dwarf_frame first;
	struct arch_regs regs;

	if (tracee_regs(t->tracee, &regs) < 0)
		return;
	dwarf_frame_first(&t->process->program, t, &regs, &first);
	inspect_stack(&first, calls_scope(t), MOST_CALLS, &w->stack);
	w->own = caller_own(w, 0);
	w->told = told(w);
}

void caller_look(struct run *s, struct waiter *w)
{
	struct run_thread *t = w->thread;
	bool runs = t->tracee->state == TRACEE_RUNNING;
	bool paused = runs && tracee_pause(s->tracee, t->tracee) == 0;

	/* Not paused, it has just stopped for a reason of its own, as on its way back into the call
	   that an earlier question interrupted: there it can be asked, too. */
	if (t->tracee->state == TRACEE_RUNNING)
		return;
	pages_forget(s);
	read_stack(w);
	if (paused)
		tracee_resume(s->tracee, t->tracee);
}
