/* Writes a crash as text for people. */
#include "tracer/features/crash/crash.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/source/names/names.h"
#include "tracer/base/files/path.h"
#include "tracer/base/signame.h"

#include <signal.h>
#include <string.h>

const struct crash_frame *crash_own(const struct crash *c)
{
	return c->own < c->frames.count ? &c->frames.items[c->own] : NULL;
}

/* Returns the innermost frame if the tester's own frame called a library function that crashed
 * (strlen(NULL)), else NULL. */
static const struct crash_frame *library_frame(const struct crash *c)
{
	const struct crash_frame *f = c->frames.items;

	if (!c->own || c->own >= c->frames.count || c->fault.code <= 0 || f->inlined || !f->func ||
	    f->signal)
		return NULL;
	return f;
}

void crash_place(const struct crash *c, struct str *out)
{
	const struct crash_frame *inner = library_frame(c), *f;

	if (!c->frames.count)
		return;
	f = &c->frames.items[c->own < c->frames.count ? c->own : 0];
	if (inner) {
		str_add(out, " in ");
		names_brief(inner->func, CALLS_NAME, out);
		str_add(out, ", called");
	}
	if (f->func) {
		str_add(out, " in ");
		names_brief(f->func, CALLS_NAME, out);
	} else if (f->object) {
		str_addf(out, " in %s", f->object);
	} else {
		str_addf(out, " at 0x%llx", (unsigned long long)f->pc);
	}
	if (f->file)
		str_addf(out, " at %s:%u", str_base_name(f->file), f->line);
}

void crash_title(const struct crash *c, struct str *out)
{
	str_addf(out, "SIG%s", signame_text(c->fault.signal));
	crash_place(c, out);
}

/* Shortens "a.out: x.c:9: f: Assertion `n' failed." to the part without the place, which is printed
 * elsewhere. */
static const char *short_said(const struct crash *c)
{
	const char *said = str_text(&c->said), *assertion = strstr(said, "Assertion `");

	return assertion ? assertion : said;
}

void crash_deed(const struct crash *c, struct str *out)
{
	str_addf(out, "%s %s", run_thread_id(c->thread), str_text(&c->what));
	if (c->where.length)
		str_addf(out, " (%s)", str_text(&c->where));
	if (c->said.length)
		str_addf(out, ": %s", short_said(c));
}

void crash_summary(const struct crash *c, struct str *out)
{
	crash_title(c, out);
	str_add(out, ": ");
	crash_deed(c, out);
}

/* Returns the index behind the frames from `i` on that lead from a thread's start to the tester's
 * code, as those of std::thread, if they are at least three: one line stands for them. */
static size_t behind_library(const struct crash *c, size_t i)
{
	enum { LEAST = 3 };
	size_t end = i;

	while (c->own < i && end < c->frames.count && c->frames.items[end].system)
		end++;
	return end - i >= LEAST ? end : i;
}

static void frame_lines(const struct crash *c, struct str *out)
{
	str_addf(out, "calls of %s:\n", run_thread_id(c->thread));
	for (size_t i = 0; i < c->frames.count; i++) {
		size_t end = behind_library(c, i);

		if (end > i) {
			str_addf(out, "  #%zu to #%zu are calls in system libraries\n", i, end - 1);
			i = end - 1;
		} else {
			str_addf(out, "  #%-2zu %s\n", i, c->frames.items[i].text);
		}
	}
	if (c->calls > c->frames.count)
		str_addf(out, "  ... and %s%zu more\n", c->cut ? "at least " : "",
			 c->calls - c->frames.count);
	else if (c->cut)
		str_add(out, "  ... the stack cannot be unwound from here\n");
}

static void other_lines(const struct crash *c, struct str *out)
{
	enum { MOST = 40 };

	for (size_t i = 0; i < c->others.count && i < MOST; i++) {
		const struct crash_other *o = &c->others.items[i];

		waiting_begin_line(o->file, o->line, out);
		str_addf(out, "%s\n", o->text);
	}
	if (c->others.count > MOST)
		str_addf(out, "  ... and %zu more threads\n", c->others.count - MOST);
}

void crash_lines(const struct crash *c, struct str *out)
{
	if (c->said.length && short_said(c) != str_text(&c->said))
		str_addf(out, "  %s\n", str_text(&c->said));
	frame_lines(c, out);
	other_lines(c, out);
}

void crash_expected(const struct run *s, enum verdict v, struct str *out)
{
	const struct crash *c = crash_of_root(s);
	const struct outcome *o = run_outcome(s);

	if (v != VERDICT_OK || !c || !o->crashed || o->signal == o->killed_by)
		return;
	str_add(out, "crashed as expected: ");
	crash_title(c, out);
	str_add(out, "\n  ");
	crash_deed(c, out);
	str_add(out, "\n");
	crash_lines(c, out);
}

/* Adds a location that selects this frame. Lambdas of one function share a name and need a line. */
static void try_at(const struct crash_frame *f, struct str *out)
{
	char *plain = names_plain(f->func);

	if (strpbrk(plain, "{$") && f->file)
		str_addf(out, ", at = \"%s:%u\"", str_base_name(f->file), f->line);
	else
		str_addf(out, ", at = \"%s\"", plain);
	base_free(plain);
}

void crash_try(const struct run *s, struct str *out)
{
	const struct crash *c = crash_of_root(s);
	const struct crash_frame *f = c ? crash_own(c) : NULL;

	str_addf(out, "a test of the crash says `expect { signal = \"SIG%s\"",
		 signame_text(run_outcome(s)->signal));
	if (f && f->func)
		try_at(f, out);
	str_add(out, " }`");
	if (f && !f->file)
		str_add(out, "; there is no debug information: build it with -g for lines and "
			     "variables");
	else if (!run_is_attended(s))
		str_add(out, "; `gatectl repl` stops before it, to look at variables");
}

void crash_child_lines(const struct run *s, struct str *out)
{
	array_each(struct crash *, it, crash_all(s)) {
		const struct crash *c = *it;

		if (c->process == run_root(s) || !c->ended || !crash_is_signal(c->fault.signal))
			continue;
		str_add(out, "before that a child process crashed: ");
		crash_summary(c, out);
		str_add(out, "\n");
	}
}
