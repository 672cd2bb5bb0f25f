/* Records which threads have arrived at a place, matching or not, and writes lists of threads. */
#include "tracer/run/threads/threads.h"
#include "tracer/features/explain/hints.h"

#include "tracer/base/text/suggest.h"

#include <string.h>

enum { NAMED_MOST = 6, PASSERS_MOST = 32, LISTED_MOST = 12 };

/* Per-place data. */
struct passed {
	struct passers by;
	bool jumped; /* see passers_jumped() */
	/* arrivals not in `by`: of matching threads, counted inside the program; of other
	 * threads */
	unsigned long inside, others;
};

void passers_fini(void *list)
{
	array_fini((struct passers *)list);
}

static const struct keeper keeper = {sizeof(struct passed), passers_fini};

static struct passed *passed_of(const struct place *place)
{
	const struct run_place *sp = place->user;

	return kept_make(run_place_kept(sp), &keeper);
}

bool passers_count(struct passers *list, const struct engine_thread *t)
{
	array_each(struct passer, old, list) {
		if (old->thread == t) {
			old->count++;
			return true;
		}
	}
	if (list->count == PASSERS_MOST)
		return false;
	*array_add(list) = (struct passer){t, 1};
	return true;
}

void passers_comes(struct run *s, struct run_thread *t, struct place *place)
{
	struct run_place *sp = place ? place->user : NULL;

	if (!sp)
		return;
	if ((place->thread || !place_reached(place)) &&
	    !passers_count(&passed_of(place)->by, run_thread_engine(t)) &&
	    !engine_thread_matches(run_engine(s), run_thread_engine(t), place->thread))
		passed_of(place)->others++;
	if (run_thread_stands_at(t) == SOURCE_TAIL)
		passed_of(place)->jumped |= run_place_location(sp)->kind == LOCATION_RETURN;
}

void passers_passed(struct run *s, struct place *p, unsigned long arrivals, bool others)
{
	(void)s;
	if (others)
		passed_of(p)->others += arrivals;
	else
		passed_of(p)->inside += arrivals;
}

unsigned long passers_inside(const struct place *p)
{
	return passed_of(p)->inside;
}

bool passers_any(const struct place *p)
{
	return passed_of(p)->by.count > 0;
}

bool passers_jumped(const struct place *p)
{
	return passed_of(p)->jumped;
}

void passers_of(struct run *s, const struct place *p, bool meant, struct passers *out)
{
	const struct engine_thread *t;

	out->more = meant ? 0 : passed_of(p)->others;
	for (size_t i = 0; (t = engine_thread_at(run_engine(s), i)); i++)
		array_each(const struct passer, one, &passed_of(p)->by)
			if (one->thread == t &&
			    engine_thread_matches(run_engine(s), t, p->thread) == meant)
				*array_add(out) = *one;
}

/* ---- the thread held at the same place --------------------------------------------------- */

static bool sites_meet(const struct source_sites *a, const struct source_sites *b)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = 0; k < b->count; k++)
			if (a->items[i].module == b->items[k].module &&
			    a->items[i].offset == b->items[k].offset)
				return true;
	return false;
}

static bool places_meet(const struct place *p, const struct place *q)
{
	if (p->after != q->after)
		return false;
	array_each(struct source_sites *const, a, run_place_results(p->user))
		array_each(struct source_sites *const, b, run_place_results(q->user))
			if (sites_meet(*a, *b))
				return true;
	return false;
}

const struct run_thread *passers_held_before(struct run *s, const struct place *p)
{
	run_each_thread(t, s) {
		const struct place *at = waiting_of(t)->held ? run_thread_hold(t)->place : NULL;

		if (at && at->index < p->index && p->kind == PLACE_LOCATION &&
		    at->kind == PLACE_LOCATION && places_meet(p, at) &&
		    engine_thread_matches(run_engine(s), run_thread_engine(t), p->thread))
			return t;
	}
	return NULL;
}

bool hints_exited(struct run *s, const struct engine_thread *t)
{
	if (waiting_is_alive(waiting_of(threads_of(t))))
		return false;
	run_each_thread(other, s)
		if (waiting_is_alive(waiting_of(other)))
			return true;
	return false;
}

/* ---- text -------------------------------------------------------------------------------- */

void hints_times(unsigned long n, struct str *out)
{
	if (n <= 2)
		str_add(out, n == 2 ? "twice" : n ? "once" : "0 times");
	else
		str_addf(out, "%lu times", n);
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

/* Appends the separator before item i of a list of which `most` are named. Returns false after the
 * last of them, with the number of the rest appended. */
static bool passers_next(size_t i, size_t count, size_t most, struct str *out)
{
	hints_and(i, count > most ? most + 1 : count, out);
	if (i == most)
		str_addf(out, "%zu more", count - most);
	return i < most;
}

void passers_add(const struct passers *list, struct str *out)
{
	unsigned long times = list->more;

	if (times) {
		array_each(const struct passer, one, list)
			times += one->count;
		str_add(out, "other threads (");
		hints_times(times, out);
		str_add(out, ")");
		return;
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct passer *one = &list->items[i];

		if (!passers_next(i, list->count, NAMED_MOST, out))
			break;
		str_add(out, one->thread->id);
		if (one->count < 2)
			continue;
		str_add(out, " (");
		hints_times(one->count, out);
		str_add(out, ")");
	}
}

/* Returns the thread's own name, or NULL if it has inherited the program's. */
static const char *own_name(struct run *s, const struct engine_thread *t)
{
	const struct engine_thread *first = engine_thread_at(run_engine(s), 0);
	const char *name = threads_name(s, t), *given = threads_name(s, first);

	return *name && *given && strcmp(name, given) != 0 ? name : NULL;
}

void hints_threads(struct run *s, struct str *out)
{
	const struct engine_thread *t;
	size_t count = 0;

	while (engine_thread_at(run_engine(s), count))
		count++;
	for (size_t i = 0; (t = engine_thread_at(run_engine(s), i)); i++) {
		const char *runs = trampoline_of(threads_of(t))->runs;

		if (!passers_next(i, count, LISTED_MOST, out))
			break;
		str_add(out, t->id);
		if (runs)
			str_addf(out, " (%s)", runs);
		if (own_name(s, t))
			str_addf(out, " (named %s)", own_name(s, t));
	}
}

const struct engine_thread *hints_match(struct run *s, const char *pattern)
{
	const struct engine_thread *t;

	for (size_t i = 0; (t = engine_thread_at(run_engine(s), i)); i++)
		if (engine_thread_matches(run_engine(s), t, pattern))
			break;
	return t;
}

void hints_like(struct run *s, const char *pattern, struct str *out, char **best)
{
	STR(wanted);
	struct suggestions like = {0};
	const struct engine_thread *t;

	for (const char *c = pattern; *c; c++)
		if (*c != '*' && *c != '?')
			str_add_bytes(&wanted, c, 1);
	like.wanted = str_text(&wanted);
	for (size_t i = 0; (t = engine_thread_at(run_engine(s), i)); i++) {
		const char *runs = trampoline_of(threads_of(t))->runs;

		suggest_offer(&like, strpbrk(pattern, "#/") ? t->id : t->start);
		if (own_name(s, t))
			suggest_offer(&like, own_name(s, t));
		if (runs)
			suggest_offer(&like, runs);
	}
	if (best)
		*best = like.best[0].text ? base_strdup(like.best[0].text) : NULL;
	suggest_take(&like, out);
}
