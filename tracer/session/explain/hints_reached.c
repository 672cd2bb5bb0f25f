/* What came nearest to a place that was not reached. */
#include "tracer/session/explain/explain.h"
#include "tracer/session/explain/hints.h"

#include "tracer/base/suggest.h"
#include "tracer/symbols/sources.h"

#include <string.h>

enum { NAMED_MOST = 6, PASSERS_MOST = 32 };

void hints_pass_by(struct session_place *place, const struct engine_thread *t)
{
	array_each(struct passer, old, &place->passers) {
		if (old->thread == t) {
			old->count++;
			return;
		}
	}
	if (place->passers.count < PASSERS_MOST)
		*array_add(&place->passers) = (struct passer){t, 1};
}

struct passers {
	struct passer *items;
	size_t count, capacity;
};

/* "main (3 times) and worker#1" */
static void add_passers(const struct passers *list, struct str *out)
{
	size_t shown = list->count > NAMED_MOST ? NAMED_MOST + 1 : list->count;

	for (size_t i = 0; i < shown; i++) {
		const struct passer *one = &list->items[i];

		hints_and(i, shown, out);
		if (i == NAMED_MOST) {
			str_addf(out, "%zu more", list->count - NAMED_MOST);
			break;
		}
		str_add(out, one->thread->id);
		if (one->count < 2)
			continue;
		str_add(out, " (");
		hints_times(one->count, out);
		str_add(out, ")");
	}
}

/* Those that the place's `thread` option means, or those that it does not: in order of creation, so
   that runs that differ in nothing but who came first are told in the same words. */
static void passers_of(struct session *s, const struct place *p, bool meant, struct passers *out)
{
	const struct session_place *sp = p->user;
	const struct engine_thread *t;

	for (size_t i = 0; (t = engine_thread_at(s->engine, i)); i++)
		array_each(const struct passer, one, &sp->passers)
			if (one->thread == t &&
			    engine_thread_matches(s->engine, t, p->thread) == meant)
				*array_add(out) = *one;
}

bool hints_shut_out(struct session *s, const struct place *p, struct str *out)
{
	struct passers others = {0};
	bool any;

	passers_of(s, p, false, &others);
	any = others.count;
	if (any)
		add_passers(&others, out);
	array_fini(&others);
	return any;
}

/* ---- the filters ---------------------------------------------------------------------------- */

static void near_by_hit(struct session *s, const struct place *p, struct str *out)
{
	struct passers meant = {0};

	passers_of(s, p, true, &meant);
	str_add(out, "it was arrived at only ");
	hints_times(p->arrivals, out);
	if (meant.count) {
		str_add(out, ", by ");
		add_passers(&meant, out);
	}
	str_addf(out, ", but hit = %lu was asked for", p->hit_first);
	array_fini(&meant);
}

/* Which name was meant; or, where none is like it, which there are. */
static void add_like(struct session *s, const char *pattern, bool or_all, struct str *out)
{
	struct str like = {0};

	hints_like(s, pattern, &like, NULL);
	str_add(out, str_text(&like));
	if (!like.length && or_all) {
		str_add(out, ": there were ");
		hints_threads(s, out);
	}
	str_fini(&like);
}

/* False: the `thread` option is not what kept them out. */
static bool near_by_thread(struct session *s, const struct place *p, struct str *out)
{
	bool known = hints_any_matches(s, p->thread);
	struct passers others = {0};

	passers_of(s, p, false, &others);
	if (!known)
		str_addf(out, "no thread of the run is called '%s'", p->thread);
	else if (others.count)
		str_addf(out, "no thread that matches '%s' arrived there", p->thread);
	if (others.count) {
		str_add(out, known ? ", but " : "; ");
		add_passers(&others, out);
		str_add(out, known ? " did" : " came there");
	}
	if (!known)
		add_like(s, p->thread, !others.count, out);
	known = known && !others.count;
	array_fini(&others);
	return !known;
}

/* ---- the object ----------------------------------------------------------------------------- */

static void offer_objects(struct session *s, struct suggestions *like)
{
	array_each(struct session_process *, p, &s->processes) {
		array_each(const struct image, image, &(*p)->images) {
			const char *path = module_path(image->module), *dot;
			const char *base = str_base_name(path);
			char *plain;

			suggest_offer(like, base);
			suggest_offer(like, module_name(image->module));
			dot = strstr(base, ".so.");
			if (!dot)
				continue;
			plain = base_strndup(base, (size_t)(dot - base) + 3);
			suggest_offer(like, plain);
			base_free(plain);
		}
	}
}

static void near_by_object(struct session *s, const struct session_place *sp, struct str *out)
{
	struct suggestions like = {.wanted = sp->location.object};

	if (sp->nearest) {
		str_add(out, sp->nearest);
		return;
	}
	str_addf(out, "no object %s was ever loaded", sp->location.object);
	offer_objects(s, &like);
	suggest_take(&like, out);
}

/* ---- the function --------------------------------------------------------------------------- */

static void add_callers(const struct scouts *sc, struct str *out)
{
	struct passers by = {0};

	array_each(const struct scout_visit, v, &sc->visits) {
		bool known = false;

		array_each(struct passer, one, &by) {
			known |= one->thread == v->thread;
			one->count += one->thread == v->thread;
		}
		if (!known)
			*array_add(&by) = (struct passer){v->thread, 1};
	}
	if (by.count == 1)
		str_add(out, by.items[0].thread->id);
	else
		add_passers(&by, out);
	array_fini(&by);
}

static bool same_exit(const struct scout_visit *a, const struct scout_visit *b)
{
	return a->line == b->line && a->file == b->file;
}

/* ", and returned at calc.c:31 and calc.c:33" */
static void add_exits(const struct scouts *sc, struct str *out)
{
	ARRAY(const struct scout_visit *) exits = {0};

	array_each(const struct scout_visit, v, &sc->visits) {
		bool known = !v->line || !v->file || !v->left;

		array_each(const struct scout_visit *, old, &exits)
			known |= same_exit(*old, v);
		if (!known)
			*array_add(&exits) = v;
	}
	for (size_t i = 0; i < exits.count; i++) {
		str_add(out, i ? "" : ", and returned at ");
		hints_and(i, exits.count, out);
		hints_line(exits.items[i]->file, exits.items[i]->line, out);
	}
	array_fini(&exits);
}

/* Is it known that the thread is in this function now? */
static bool is_inside(const struct scouts *sc, const struct scout_visit *v)
{
	const struct waiting *w = &threads_of(v->thread)->waiting;

	if (!waiting_is_alive(w) || (v->left && !v->into))
		return false;
	return (v->framed && !v->left) ||
	       (w->func && sc->function && strcmp(w->func, sc->function) == 0);
}

bool hints_inside(const struct scouts *sc, const struct engine_thread *t)
{
	array_each(const struct scout_visit, v, &sc->visits)
		if (v->thread == t && is_inside(sc, v))
			return true;
	return false;
}

/* The threads that have entered and not come back, once each. */
static void add_inside(const struct session *s, const struct scouts *sc, bool first,
		       struct str *out)
{
	const struct engine_thread *t;

	for (size_t i = 0; (t = engine_thread_at(s->engine, i)); i++) {
		const struct waiting *w = &threads_of(t)->waiting;

		if (!hints_inside(sc, t))
			continue;
		str_addf(out, "%s%s is", first ? "" : "; ", t->id);
		if (!w->func || strcmp(w->func, t->start) != 0)
			str_addf(out, " in %s", w->func ? w->func : sc->function);
		if (w->file && w->line) {
			str_add(out, " at ");
			hints_line(w->file, w->line, out);
		}
		str_add(out, " and has not come there");
		first = false;
	}
}

/* Those whose end it was, or that were thrown out of it. */
static void add_lost(const struct scouts *sc, struct str *out)
{
	array_each(const struct scout_visit, v, &sc->visits)
		if (!v->left && v->framed && !is_inside(sc, v))
			str_addf(out, "; %s has not returned from it", v->thread->id);
}

static bool all_inside(const struct scouts *sc)
{
	array_each(const struct scout_visit, v, &sc->visits)
		if (!is_inside(sc, v))
			return false;
	return !sc->many;
}

static void near_by_function(const struct session *s, const struct scouts *sc, struct str *out)
{
	if (!sc->visits.count) {
		if (sc->complete && sc->function && !s->untraced_children)
			str_addf(out, "%s was never called", sc->function);
		else
			str_add(out, "no thread arrived there");
		return;
	}
	if (all_inside(sc)) {
		add_inside(s, sc, true, out);
		return;
	}
	str_addf(out, "%s was called %s", sc->function,
		 sc->complete || sc->many ? "" : "at least ");
	if (sc->many)
		str_addf(out, "more than %d times", SCOUT_VISITS);
	else
		hints_times(sc->visits.count, out);
	str_add(out, ", by ");
	add_callers(sc, out);
	str_add(out, sc->many ? " first" : "");
	add_exits(sc, out);
	add_lost(sc, out);
	add_inside(s, sc, false, out);
	if (sc->meant->items[0].kind == SYMBOLS_STATEMENT)
		str_add(out, "; this line was not executed");
}

/* Do all who have entered the function match the place's `thread` option, or has nobody? */
static bool all_meant(struct session *s, const struct place *p, const struct scouts *sc)
{
	array_each(const struct scout_visit, v, &sc->visits)
		if (!engine_thread_matches(s->engine, v->thread, p->thread))
			return false;
	return true;
}

/* ---- all of it ------------------------------------------------------------------------------ */

void hints_near(struct session *s, const struct place *p, struct str *out)
{
	const struct session_place *sp = p->user;

	if (p->arrivals)
		near_by_hit(s, p, out);
	else if (sp->located && !sp->found && sp->location.object)
		near_by_object(s, sp, out);
	else if (p->thread && near_by_thread(s, p, out))
		return;
	else if (sp->scouts && (!p->thread || all_meant(s, p, sp->scouts)))
		near_by_function(s, sp->scouts, out);
	else if (p->thread)
		str_addf(out, "no thread that matches '%s' arrived there", p->thread);
	else
		str_add(out, "no thread arrived there");
}

/* The line that is meant, as it stands in the source. */
static void add_text(struct session *s, const struct scouts *sc, struct str *out)
{
	const struct symbols_site *site = &sc->meant->items[0];
	const char *text = symbols_source_line(s->symbols, site->file, site->line);

	if (text)
		str_addf(out, "%s:%u: this line was meant: %s\n", shown_path(site->file),
			 site->line, text + strspn(text, " \t"));
}

static void add_copies(const struct scouts *sc, struct str *out)
{
	array_each(const struct scout_copy, c, &sc->copies) {
		if (!c->by)
			continue;
		str_addf(out, "%s:%u: %s is another copy of it, and was executed, first by %s\n",
			 shown_path(c->site->file), c->site->line, c->location, c->by->id);
	}
}

void hints_missing(struct session *s, const struct place *p, struct str *out)
{
	if (p->kind == PLACE_REST)
		str_add(out, "never was somebody held while nobody could move");
	else
		hints_near(s, p, out);
}

void hints_missing_lines(struct session *s, const struct place *p, struct str *out)
{
	const struct session_place *sp = p->user;

	if (!sp->scouts || sp->passers.count)
		return;
	add_text(s, sp->scouts, out);
	add_copies(sp->scouts, out);
}

static const struct scout_visit *some_exit(const struct scouts *sc)
{
	array_each(const struct scout_visit, v, &sc->visits)
		if (v->line && v->file && v->left)
			return v;
	return NULL;
}

/* Somebody who has entered the function may still come to the line. */
static bool anybody_inside(const struct scouts *sc)
{
	array_each(const struct scout_visit, v, &sc->visits)
		if (is_inside(sc, v))
			return true;
	return false;
}

bool hints_is_mistaken(struct session *s, const struct place *p)
{
	const struct session_place *sp = p->user;
	const struct scouts *sc = sp->scouts;

	if (p->arrivals || sp->passers.count || (p->thread && !hints_any_matches(s, p->thread)))
		return true;
	return sc && sc->visits.count && !anybody_inside(sc);
}

/* ---- what to do ----------------------------------------------------------------------------- */

/* The start routine that all of them have; else the first one's id. */
static const char *common_name(const struct passers *list)
{
	const struct engine_thread *first = list->items[0].thread;

	array_each(const struct passer, one, list)
		if (strcmp(one->thread->start, first->start) != 0)
			return first->id;
	return *first->start && strchr(first->id, '#') ? first->start : first->id;
}

static void try_thread(struct session *s, const struct place *p, const struct passers *others,
		       struct str *out)
{
	struct str ignored = {0};
	char *best = NULL;

	if (!hints_any_matches(s, p->thread))
		hints_like(s, p->thread, &ignored, &best);
	if (best)
		str_addf(out, "thread = \"%s\"", best);
	else if (others->count)
		str_addf(out, "thread = \"%s\", or leave `thread` away", common_name(others));
	else
		str_add(out, "one of the threads above as `thread`, or `optional = true`");
	str_fini(&ignored);
	base_free(best);
}

static void try_line(const struct session *s, const struct place *p, struct str *out)
{
	const struct session_place *sp = p->user;
	const struct scout_visit *v = sp->scouts ? some_exit(sp->scouts) : NULL;

	array_each(const struct scout_copy, c, &sp->scouts->copies) {
		if (c->by) {
			str_addf(out, "at \"%s\"", c->location);
			return;
		}
	}
	if (v) {
		str_add(out, "name a line that is on the way to ");
		hints_line(v->file, v->line, out);
	} else if (sp->scouts->function && sp->scouts->complete && !sp->scouts->visits.count) {
		str_addf(out, "give the program the arguments or the input that make it call %s",
			 sp->scouts->function);
	} else if (sp->scouts->visits.count) {
		str_addf(out, "name a line of %s that is executed", sp->scouts->function);
	} else {
		str_add(out, "name a line that is executed");
	}
	str_addf(out, "; `gatectl lines %s '%s'` tells what the location means",
		 s->options->argv[0], p->location);
}

void hints_missing_try(struct session *s, const struct place *p, struct str *out)
{
	const struct session_place *sp = p->user;
	struct passers others = {0};

	passers_of(s, p, false, &others);
	if (p->arrivals)
		str_addf(out, "hit = %lu, the most that this run came to", p->arrivals);
	else if (p->kind == PLACE_REST)
		str_add(out, "leave the line out, or make it optional");
	else if (sp->located && !sp->found && sp->location.object)
		str_addf(out,
			 "the name of an object that the program loads: `gatectl lines %s "
			 "'OBJECT!...'` finds those that it starts with",
			 s->options->argv[0]);
	else if (p->thread && (others.count || !hints_any_matches(s, p->thread)))
		try_thread(s, p, &others, out);
	else if (sp->scouts)
		try_line(s, p, out);
	else
		str_addf(out, "`gatectl lines %s '%s'` tells what the location means",
			 s->options->argv[0], p->location);
	array_fini(&others);
}
