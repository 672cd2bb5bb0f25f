/*
 * A place is what was asked, a site is where a trap stands. Places are resolved against the modules
 * of a process when its first libraries are loaded, and again for every module that comes later.
 */
#include "tracer/session/explain/scouts.h"

#include "tracer/base/suggest.h"

#include <stdio.h>
#include <string.h>

static struct session_place *of(const struct place *place)
{
	return place->user;
}

static bool wants_libraries(enum place_kind kind)
{
	return kind == PLACE_LOCATION || kind == PLACE_THROW || kind == PLACE_EXIT ||
	       kind == PLACE_LOAD;
}

static int prefix_source(struct error *err, const struct place *place)
{
	struct error inner = *err;
	char hint[sizeof(inner.hint)];

	memcpy(hint, inner.hint, sizeof(hint));
	error_set(err, inner.code, "%s: %.3900s", place->source, inner.text);
	return error_hint(err, "%s", hint);
}

static int prepare(struct session *s, struct place *place, struct error *err)
{
	struct session_place *sp = place->user = base_alloc(1, sizeof(*sp));

	s->has_places |= wants_libraries(place->kind);
	s->loads_matter |= place->kind == PLACE_LOAD || place->kind == PLACE_THROW;
	if (place->kind != PLACE_LOCATION)
		return 0;
	if (location_parse(place->location, &sp->location, err) < 0)
		return prefix_source(err, place);
	sp->located = true;
	s->loads_matter |= sp->location.object != NULL;
	return 0;
}

int places_prepare(struct session *s, struct error *err)
{
	struct place *place;

	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++)
		if (prepare(s, place, err) < 0)
			return -1;
	return 0;
}

/* ---- one site ------------------------------------------------------------------------------- */

struct site_use *places_use(struct session *s, struct session_process *p, struct target_thread *t,
			    uint64_t address, struct target_site **site, struct error *err)
{
	struct target_site *at = target_site_add(s->target, p->target, t, address, NULL, err);

	if (!at)
		return NULL;
	if (!at->user) {
		at->user = base_alloc(1, sizeof(struct site_use));
		*array_add(&s->uses) = at->user;
	}
	if (site)
		*site = at;
	return at->user;
}

static bool already_acts(const struct site_use *use, const struct act *act)
{
	for (size_t i = 0; i < use->acts.count; i++) {
		const struct act *a = &use->acts.items[i];

		if (a->place == act->place && a->kind == act->kind && a->bias == act->bias &&
		    (a->info == act->info || act->kind == ACT_ARRIVE))
			return true;
	}
	return false;
}

/* One statement ends where the next begins: its end comes first. */
static bool is_end(const struct act *a)
{
	return a->kind == ACT_AFTER_END || a->kind == ACT_CALL_END || a->kind == ACT_ELIDE_END;
}

static bool comes_before(const struct act *a, const struct act *b)
{
	if (!a->place || !b->place)
		return !a->place;
	if (is_end(a) != is_end(b))
		return is_end(a);
	return a->place->index <= b->place->index;
}

/* Acts at one site: ends, then the others, both in the order in which their places were written. */
void places_act(struct site_use *use, const struct act *act)
{
	size_t i;

	*array_add(&use->acts) = *act;
	for (i = use->acts.count - 1; i > 0; i--) {
		if (comes_before(&use->acts.items[i - 1], act))
			break;
		use->acts.items[i] = use->acts.items[i - 1];
	}
	use->acts.items[i] = *act;
}

int places_put(struct session *s, struct session_process *p, struct target_thread *t,
	       uint64_t address, const struct act *act, struct error *err)
{
	struct target_site *site;
	struct site_use *use = places_use(s, p, t, address, &site, err);

	if (!use)
		return -1;
	if (!already_acts(use, act))
		places_act(use, act);
	*array_add(&of(act->place)->placed) = (struct placed){p, site};
	return 0;
}

/* ---- all sites of a place ------------------------------------------------------------------- */

/* `after` a function means that the call is over: its first instruction tells where it returns to. */
static int put_call(struct session *s, struct session_process *p, struct target_thread *t,
		    struct act act, struct error *err)
{
	struct symbols_where where;
	uint64_t start = act.info->offset;

	if (symbols_where(act.info->module, start, false, &where)) {
		start = where.start ? where.start : start;
		symbols_where_fini(&where);
	}
	act.kind = ACT_CALL_BEGIN;
	return places_put(s, p, t, act.bias + start, &act, err);
}

static bool is_inside(const struct symbols_site *info, uint64_t offset)
{
	array_each(const struct symbols_range, r, &info->ranges)
		if (offset >= r->low && offset < r->high)
			return true;
	return false;
}

static int put_statement(struct session *s, struct session_process *p, struct target_thread *t,
			 struct act act, struct error *err)
{
	act.kind = ACT_AFTER_BEGIN;
	if (places_put(s, p, t, act.bias + act.info->offset, &act, err) < 0)
		return -1;
	act.kind = ACT_AFTER_END;
	for (size_t i = 0; i < act.info->exits.count; i++)
		if (places_put(s, p, t, act.bias + act.info->exits.items[i], &act, err) < 0)
			return -1;
	return 0;
}

/*
 * A statement that does not sleep: its arrival is its beginning. Ends within its own code, returns and
 * tail jumps, are left out: a jump may lead to the very call that sleeps. elide.c sees the return.
 */
static int put_elided(struct session *s, struct session_process *p, struct target_thread *t,
		      struct act act, struct error *err)
{
	if (places_put(s, p, t, act.bias + act.info->offset, &act, err) < 0)
		return -1;
	act.kind = ACT_ELIDE_END;
	if (act.info->kind == SYMBOLS_ENTRY && !act.info->inlined_into)
		return 0; /* the whole function */
	for (size_t i = 0; i < act.info->exits.count; i++) {
		uint64_t offset = act.info->exits.items[i];

		if (!is_inside(act.info, offset) &&
		    places_put(s, p, t, act.bias + offset, &act, err) < 0)
			return -1;
	}
	return 0;
}

static int put_site(struct session *s, struct session_process *p, struct target_thread *t,
		    struct place *place, const struct symbols_site *info, uint64_t bias,
		    struct error *err)
{
	struct act act = {ACT_ARRIVE, place, info, bias};

	if (place_elides(place))
		return put_elided(s, p, t, act, err);
	if (place->after && info->kind == SYMBOLS_ENTRY && !info->inlined_into)
		return put_call(s, p, t, act, err);
	if (place->after && (info->kind == SYMBOLS_STATEMENT || info->kind == SYMBOLS_ENTRY))
		return put_statement(s, p, t, act, err);
	return places_put(s, p, t, bias + info->offset, &act, err);
}

static uint64_t bias_of(const struct image *images, size_t count, const struct module *m)
{
	for (size_t i = 0; i < count; i++)
		if (images[i].module == m)
			return images[i].bias;
	return 0;
}

/* The results live as long as the place: acts point into them. */
static enum symbols_answer resolve(struct session *s, struct place *place,
				   const struct location *location, const struct image *images,
				   size_t count, struct symbols_sites **out, struct error *err)
{
	struct module **modules = base_alloc(count, sizeof(*modules));
	enum symbols_answer answer;

	*out = base_alloc(1, sizeof(**out));
	*array_add(&of(place)->results) = *out;
	for (size_t i = 0; i < count; i++)
		modules[i] = images[i].module;
	answer = symbols_resolve(s->symbols, modules, count, location, *out, err);
	base_free(modules);
	return answer;
}

/*
 * A function has been executed when it returns. Where it may end by a jump to another function that
 * is too early; NULL then, and where it has no return of its own.
 */
static const struct symbols_sites *own_returns(struct session *s, struct place *place,
					       const struct image *images, size_t count)
{
	struct location location = of(place)->location;
	struct symbols_sites *sites;
	struct error err;

	if (!place->after || location.kind != LOCATION_FUNC)
		return NULL;
	location.kind = LOCATION_RETURN;
	if (resolve(s, place, &location, images, count, &sites, &err) != SYMBOLS_FOUND)
		return NULL;
	array_each(const struct symbols_site, site, sites)
		if (site->kind != SYMBOLS_RETURN)
			return NULL;
	return sites;
}

static int put_sites(struct session *s, struct session_process *p, struct target_thread *t,
		     struct place *place, const struct symbols_sites *sites, bool calls,
		     const struct image *images, size_t count, struct error *err)
{
	array_each(const struct symbols_site, info, sites) {
		if (!calls && info->kind == SYMBOLS_ENTRY && !info->inlined_into)
			continue;
		if (put_site(s, p, t, place, info, bias_of(images, count, info->module), err) < 0)
			return -1;
	}
	return 0;
}

/*
 * Resolves the place in these images and sets its traps in the process. The answer tells whether
 * it is there at all; on SYMBOLS_ERROR and SYMBOLS_NOT_FOUND err is filled.
 */
static enum symbols_answer locate(struct session *s, struct session_process *p,
				  struct target_thread *t, struct place *place,
				  const struct image *images, size_t count, struct error *err)
{
	const struct symbols_sites *returns;
	struct symbols_sites *sites;
	enum symbols_answer answer;

	answer = resolve(s, place, &of(place)->location, images, count, &sites, err);
	if (answer != SYMBOLS_FOUND)
		return answer;
	if (!of(place)->found)
		of(place)->sites = sites->count;
	of(place)->found = true;
	if (place->retired)
		return SYMBOLS_FOUND;
	returns = own_returns(s, place, images, count);
	if (put_sites(s, p, t, place, sites, !returns, images, count, err) < 0 ||
	    (returns && put_sites(s, p, t, place, returns, true, images, count, err) < 0))
		return SYMBOLS_ERROR;
	scouts_watch(s, p, t, place, sites, images, count);
	return SYMBOLS_FOUND;
}

/* Places that stand for functions of the run-time libraries. */
struct event_function {
	enum place_kind kind;
	const char *name;
	enum act_kind act;
};

static const struct event_function event_functions[] = {
	{PLACE_THROW, "__cxa_throw", ACT_ARRIVE},
	{PLACE_EXIT, "_exit", ACT_ARRIVE},
	{PLACE_EXIT, "syscall", ACT_SYSCALL},
};

/* The first module that has the function is the one that is called. */
static int put_event(struct session *s, struct session_process *p, struct target_thread *t,
		     struct place *place, const struct event_function *f,
		     const struct image *images, size_t count, struct error *err)
{
	const struct act act = {f->act, place, NULL, 0};
	uint64_t offset, size;

	for (size_t i = 0; i < count; i++) {
		if (module_symbol(images[i].module, f->name, &offset, &size) < 0)
			continue;
		if (places_put(s, p, t, images[i].bias + offset, &act, err) < 0)
			return prefix_source(err, place);
		of(place)->sites += !of(place)->found;
		of(place)->found = true;
		return 0;
	}
	return 0;
}

static int place_event(struct session *s, struct session_process *p, struct target_thread *t,
		       struct place *place, const struct image *images, size_t count,
		       struct error *err)
{
	for (size_t i = 0; i < sizeof(event_functions) / sizeof(*event_functions); i++)
		if (event_functions[i].kind == place->kind &&
		    put_event(s, p, t, place, &event_functions[i], images, count, err) < 0)
			return -1;
	return 0;
}

/* A name in an order that is no event's was taken for a location. */
static void suggest_event(struct session *s, const struct place *place, struct error *err)
{
	struct suggestions like = {.wanted = place->location};
	const struct place *p;
	struct str text = {0};
	char *best;

	for (size_t i = 0; (p = engine_place_at(s->engine, i)); i++)
		array_each(const struct step, step, &p->steps)
			if (step->kind == STEP_EVENT)
				suggest_offer(&like, step->text);
	best = suggest_best(&like);
	suggest_take(&like, &text);
	if (best) {
		error_set(err, err->code, "%s: no event and no location is called so%s",
			  place->location, str_text(&text));
		error_hint(err, "write %s", best);
	}
	base_free(best);
	str_fini(&text);
}

/*
 * The libraries that the program starts with are loaded. `strict`: a location that is in none of
 * them is an error; else (a later image, of a child say) it simply is not there.
 */
static int settle(struct session *s, struct session_process *p, struct target_thread *t,
		  struct place *place, bool strict, struct error *err)
{
	enum symbols_answer answer;

	if (place->retired)
		return 0;
	if (place_event(s, p, t, place, p->images.items, p->images.count, err) < 0)
		return -1;
	if (!of(place)->located)
		return 0;
	answer = locate(s, p, t, place, p->images.items, p->images.count, err);
	if (answer == SYMBOLS_FOUND || !strict)
		return 0;
	if (answer == SYMBOLS_NOT_FOUND && of(place)->location.object &&
	    !images_have(p, of(place)->location.object))
		return 0; /* pending until its object is loaded */
	if (place->from_order && of(place)->location.kind == LOCATION_FUNC &&
	    answer == SYMBOLS_NOT_FOUND)
		suggest_event(s, place, err);
	return prefix_source(err, place);
}

int places_settle(struct session *s, struct session_process *p, struct target_thread *t,
		  bool strict, struct error *err)
{
	struct place *place;

	p->settled = true;
	sanitizer_settle(s, p, t);
	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++)
		if (settle(s, p, t, place, strict, err) < 0)
			return -1;
	return 0;
}

static struct target_thread *stopped_in(struct session *s, const struct session_process *p)
{
	array_each(struct session_thread *, it, &s->threads)
		if ((*it)->process == p && (*it)->target && (*it)->target->state == TARGET_STOPPED)
			return (*it)->target;
	return NULL;
}

int places_add(struct session *s, size_t first, struct error *err)
{
	struct place *place;

	for (size_t i = first; (place = engine_place_at(s->engine, i)); i++) {
		if (prepare(s, place, err) < 0)
			return -1;
		array_each(struct session_process *, it, &s->processes) {
			struct session_process *p = *it;

			if (p->target && p->exe && p->settled &&
			    settle(s, p, stopped_in(s, p), place, p == s->root, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* A location that names its object: is that among what was loaded now? */
static int locate_later(struct session *s, struct session_process *p, struct target_thread *t,
			struct place *place, const struct module_list *loaded, struct error *err)
{
	array_each(const struct image, image, loaded) {
		if (!module_matches(image->module, of(place)->location.object))
			continue;
		switch (locate(s, p, t, place, image, 1, err)) {
		case SYMBOLS_ERROR:
			return -1;
		case SYMBOLS_NOT_FOUND:
			base_free(of(place)->nearest);
			of(place)->nearest = base_strdup(err->text);
			break;
		case SYMBOLS_FOUND:
			break;
		}
	}
	return 0;
}

int places_loaded(struct session *s, struct session_process *p, struct target_thread *t,
		  const struct module_list *loaded, struct error *err)
{
	struct place *place;

	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++) {
		if (place->retired)
			continue;
		if (place->kind == PLACE_THROW && !of(place)->found &&
		    place_event(s, p, t, place, loaded->items, loaded->count, err) < 0)
			return -1;
		if (of(place)->located && of(place)->location.object &&
		    locate_later(s, p, t, place, loaded, err) < 0)
			return prefix_source(err, place);
	}
	return 0;
}

/* ---- the end of sites ----------------------------------------------------------------------- */

static bool act_is_idle(const struct act *a)
{
	if (!a->place)
		return false;
	if (a->kind == ACT_ELIDE_END)
		return of(a->place)->ended;
	return a->place->retired || scouts_idle(a);
}

static bool is_idle(const struct site_use *use)
{
	array_each(const struct act, a, &use->acts)
		if (!act_is_idle(a))
			return false;
	return true;
}

void places_sweep(struct place *place)
{
	array_each(const struct placed, placed, &of(place)->placed)
		if (placed->process->target && placed->site->user && is_idle(placed->site->user))
			target_site_remove(placed->process->target, placed->site);
}

/* The place can never act again: traps that serve nobody else are removed, in every process. */
void places_retire(struct session *s, struct place *place)
{
	struct session_place *sp = of(place);

	place->retired = true;
	if (elide_is_under_way(s, place)) /* its end is still to be seen */
		return;
	sp->ended = true;
	places_sweep(place);
	array_fini(&sp->placed);
}

/* A forked child has copies of all sites. */
void places_copy(struct session *s, struct session_process *to, struct session_process *from)
{
	struct place *place;

	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++) {
		struct session_place *sp = of(place);
		size_t count = sp ? sp->placed.count : 0;

		for (size_t k = 0; k < count; k++) {
			uint64_t address = sp->placed.items[k].site->addr;
			struct target_site *site;

			if (sp->placed.items[k].process != from)
				continue;
			site = target_site_find(to->target, address);
			if (site)
				*array_add(&sp->placed) = (struct placed){to, site};
		}
	}
}

/* What was mapped at [low, high) of the process is gone, and with it the traps there. */
void places_forget(struct session *s, struct session_process *p, uint64_t low, uint64_t high)
{
	struct place *place;

	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++) {
		struct session_place *sp = of(place);

		for (size_t k = sp ? sp->placed.count : 0; k-- > 0;)
			if (sp->placed.items[k].process == p &&
			    (high == UINT64_MAX || (sp->placed.items[k].site->addr >= low &&
						    sp->placed.items[k].site->addr < high)))
				array_remove(&sp->placed, k);
	}
	if (high != UINT64_MAX)
		target_forget(p->target, low, high);
}

static void free_place(struct session_place *sp)
{
	if (!sp)
		return;
	location_fini(&sp->location);
	base_free(sp->nearest);
	array_fini(&sp->passers);
	scouts_free(sp->scouts);
	for (size_t i = 0; i < sp->results.count; i++) {
		symbols_sites_fini(sp->results.items[i]);
		base_free(sp->results.items[i]);
	}
	array_fini(&sp->results);
	array_fini(&sp->placed);
	base_free(sp);
}

void places_free(struct session *s)
{
	struct place *place;

	for (size_t i = 0; s->engine && (place = engine_place_at(s->engine, i)); i++)
		free_place(place->user);
	for (size_t i = 0; i < s->uses.count; i++) {
		array_fini(&s->uses.items[i]->acts);
		base_free(s->uses.items[i]);
	}
	array_fini(&s->uses);
}
