/* The wording that hints share: counts, lists, threads similar to a pattern. */
#include "tracer/run/threads/threads.h"
#include "tracer/features/waiting/trampoline.h"
#include "tracer/features/explain/hints.h"

#include "tracer/base/text/suggest.h"

#include <string.h>

enum { LISTED_MOST = 12 };

void hints_times(unsigned long n, struct str *out)
{
	if (n == 1)
		str_add(out, "once");
	else if (n == 2)
		str_add(out, "twice");
	else
		str_addf(out, "%lu times", n);
}

void hints_condition(const struct place *p, struct str *out)
{
	str_addf(out, "when \"%s\" was false ", p->when);
	hints_times(p->refused, out);
	if (!p->arrivals)
		return;
	str_add(out, " and true ");
	hints_times(p->arrivals, out);
	str_addf(out, ", but hit = %lu was asked for", p->hit_first);
}

void hints_and(size_t i, size_t count, struct str *out)
{
	if (i)
		str_add(out, i + 1 == count ? " and " : ", ");
}

void hints_line(const char *file, unsigned line, struct str *out)
{
	str_addf(out, "%s:%u", str_base_name(file), line);
}

/* ---- threads -------------------------------------------------------------------------------- */

static size_t threads_count(const struct run *s)
{
	size_t count = 0;

	while (engine_thread_at(s->engine, count))
		count++;
	return count;
}

/* The thread's own name, unless it just inherited the program's. */
static const char *own_name(struct run *s, const struct engine_thread *t)
{
	const struct engine_thread *first = engine_thread_at(s->engine, 0);
	const char *name = threads_name(s, t), *given = threads_name(s, first);

	return *name && *given && strcmp(name, given) != 0 ? name : NULL;
}

void hints_threads(struct run *s, struct str *out)
{
	size_t count = threads_count(s), shown = count > LISTED_MOST ? LISTED_MOST + 1 : count;

	for (size_t i = 0; i < shown; i++) {
		const struct engine_thread *t = engine_thread_at(s->engine, i);

		hints_and(i, shown, out);
		if (i == LISTED_MOST) {
			str_addf(out, "%zu more", count - LISTED_MOST);
			break;
		}
		str_add(out, t->id);
		if (trampoline_of(threads_of(t))->runs)
			str_addf(out, " (%s)", trampoline_of(threads_of(t))->runs);
		if (own_name(s, t))
			str_addf(out, " (named %s)", own_name(s, t));
	}
}

bool hints_any_matches(struct run *s, const char *pattern)
{
	const struct engine_thread *t;

	for (size_t i = 0; (t = engine_thread_at(s->engine, i)); i++)
		if (engine_thread_matches(s->engine, t, pattern))
			return true;
	return false;
}

bool hints_means_thread_exit(struct run *s, const struct place *p)
{
	const struct engine_thread *t;

	if (p->kind != PLACE_EXIT || !p->thread || p->arrivals || !hints_any_matches(s, p->thread))
		return false;
	for (size_t i = 0; (t = engine_thread_at(s->engine, i)); i++)
		if (engine_thread_matches(s->engine, t, p->thread) &&
		    (!t->exited || strcmp(t->start, "main") == 0))
			return false;
	return true;
}

static char *without_wildcards(const char *pattern)
{
	struct str out = {0};

	for (; *pattern; pattern++)
		if (*pattern != '*' && *pattern != '?')
			str_add_bytes(&out, pattern, 1);
	return str_take(&out);
}

void hints_like(struct run *s, const char *pattern, struct str *out, char **best)
{
	char *wanted = without_wildcards(pattern);
	struct suggestions like = {.wanted = wanted ? wanted : ""};
	const struct engine_thread *t;

	for (size_t i = 0; (t = engine_thread_at(s->engine, i)); i++) {
		if (strchr(pattern, '#') || strchr(pattern, '/'))
			suggest_offer(&like, t->id);
		else
			suggest_offer(&like, t->start);
		if (own_name(s, t))
			suggest_offer(&like, own_name(s, t));
		if (trampoline_of(threads_of(t))->runs)
			suggest_offer(&like, trampoline_of(threads_of(t))->runs);
	}
	if (best)
		*best = like.best[0].text ? base_strdup(like.best[0].text) : NULL;
	suggest_take(&like, out);
	base_free(wanted);
}
