/* Places are what the script asks for, sites are addresses with traps. Places are resolved in the
   initial modules of a process, and again in every module that is loaded later. */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/run/places/faults.h"
#include "tracer/tracee/traps/traps.h"

#include <string.h>
#include <sys/syscall.h>

static struct run_place *of(const struct place *place)
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
	return error_prefix(err, "%s: ", place->source);
}

static int prepare_place(struct run *s, struct place *place, struct error *err)
{
	struct run_place *sp = place->user = base_alloc(1, sizeof(*sp));

	if (!place->retired) {
		s->loading.has_places |= wants_libraries(place->kind);
		s->loading.loads_matter |= place->kind == PLACE_LOAD || place->kind == PLACE_THROW;
	}
	if (conditions_parse(place, err) < 0)
		return prefix_source(err, place);
	if (place->kind != PLACE_LOCATION)
		return 0;
	if (location_parse(place->location, &sp->location, err) < 0) {
		place_hint_spelling(place, err);
		return prefix_source(err, place);
	}
	sp->located = true;
	s->loading.loads_matter |= sp->location.object && !place->retired;
	return 0;
}

int places_prepare(struct run *s, struct error *err)
{
	struct faults faults = {0};
	struct place *place;

	s->loading.has_places |= s->plan.expect.at != NULL;
	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++)
		if (prepare_place(s, place, err) < 0 && !faults_add(&faults, err))
			return -1;
	return faults_end(&faults, err);
}

/* ---- arrivals -------------------------------------------------------------------------------- */

static enum hit_answer hit_place(struct run *s, const struct act *a, const struct hit *h)
{
	(void)s;
	return sites_arrives(a, h) ? HIT_ARRIVAL : HIT_SEEN;
}

const struct site_owner arrival_owner = {.once = true, .arrives = true, .hit = hit_place};

/* A hit of syscall(3) is an arrival if the call is exit_group. */
static enum hit_answer hit_syscall(struct run *s, const struct act *a, const struct hit *h)
{
	(void)s;
	(void)a;
	return h->regs.dwarf[ARCH_DWARF_ARG0] == SYS_exit_group ? HIT_ARRIVAL : HIT_SEEN;
}

static const struct site_owner exit_owner = {.hit = hit_syscall};

/* ---- the sites of a place -------------------------------------------------------------------- */

static int put_site(struct run *s, struct run_process *p, struct tracee_thread *t,
		    struct place *place, const struct source_site *info, uint64_t bias,
		    struct error *err)
{
	const struct act act = {
		.owner = &arrival_owner, .place = place, .info = info, .bias = bias};

	for (const struct site_placer *const *placer = s->placers; *placer; placer++)
		if ((*placer)->wants(place, info))
			return (*placer)->put(s, p, t, act, err);
	return sites_put(s, p, t, bias + info->offset, &act, err);
}

static uint64_t bias_of(const struct image *images, size_t count, const struct module *m)
{
	for (size_t i = 0; i < count; i++)
		if (images[i].module == m)
			return images[i].bias;
	return 0;
}

/* Results are kept as long as the place, since acts point into them. */
static enum source_answer resolve(struct run *s, struct place *place,
				  const struct location *location, const struct image *images,
				  size_t count, struct source_sites **out, struct error *err)
{
	struct module **modules = base_alloc(count, sizeof(*modules));
	enum source_answer answer;

	*out = base_alloc(1, sizeof(**out));
	*array_add(&of(place)->results) = *out;
	for (size_t i = 0; i < count; i++)
		modules[i] = images[i].module;
	answer = source_resolve(s->symbols, modules, count, location, *out, err);
	base_free(modules);
	return answer;
}

/* Returns the returns of the place's function, for `after`. Returns NULL if there are none, or if a
   jump to another function may end it: its own exits are then too early. */
static const struct source_sites *own_returns(struct run *s, struct place *place,
					      const struct image *images, size_t count)
{
	struct location location = of(place)->location;
	struct source_sites *sites;
	ERROR(err);

	if (!place->after || location.kind != LOCATION_FUNC)
		return NULL;
	location.kind = LOCATION_RETURN;
	if (resolve(s, place, &location, images, count, &sites, &err) != SOURCE_FOUND)
		return NULL;
	array_each(const struct source_site, site, sites)
		if (site->kind != SOURCE_RETURN)
			return NULL;
	return sites;
}

static int put_sites(struct run *s, struct run_process *p, struct tracee_thread *t,
		     struct place *place, const struct source_sites *sites, bool calls,
		     const struct image *images, size_t count, struct error *err)
{
	array_each(const struct source_site, info, sites) {
		if (!calls && info->kind == SOURCE_ENTRY && !info->inlined_into)
			continue;
		if (put_site(s, p, t, place, info, bias_of(images, count, info->module), err) < 0)
			return -1;
	}
	return 0;
}

/* Resolves the place in these images and sets its traps in the process. *err is set unless it
   returns SOURCE_FOUND. */
static enum source_answer locate(struct run *s, struct run_process *p, struct tracee_thread *t,
				 struct place *place, const struct image *images, size_t count,
				 struct error *err)
{
	const struct source_sites *returns;
	struct source_sites *sites;
	enum source_answer answer;
	struct found found;

	answer = resolve(s, place, &of(place)->location, images, count, &sites, err);
	if (answer != SOURCE_FOUND)
		return answer;
	found = (struct found){p, t, place, sites, images, count, !of(place)->found};
	if (found.first)
		of(place)->sites = sites->count;
	of(place)->found = true;
	if (place->retired)
		return SOURCE_FOUND;
	if (conditions_check(p, place, sites, err) < 0)
		return SOURCE_ERROR;
	returns = own_returns(s, place, images, count);
	if (put_sites(s, p, t, place, sites, !returns, images, count, err) < 0 ||
	    (returns && put_sites(s, p, t, place, returns, true, images, count, err) < 0))
		return SOURCE_ERROR;
	observe(found, s, &found);
	return SOURCE_FOUND;
}

/* Places that are functions of the runtime libraries. */
struct event_function {
	enum place_kind kind;
	const char *name;
	const struct site_owner *owner;
};

static const struct event_function event_functions[] = {
	{PLACE_THROW, "__cxa_throw", &arrival_owner},
	{PLACE_EXIT, "_exit", &arrival_owner},
	{PLACE_EXIT, "syscall", &exit_owner},
};

/* The first module with the function provides it to the program, by symbol lookup. */
static int put_event(struct run *s, struct run_process *p, struct tracee_thread *t,
		     struct place *place, const struct event_function *f,
		     const struct image *images, size_t count, struct error *err)
{
	const struct act act = {.owner = f->owner, .place = place};
	uint64_t offset, size;

	for (size_t i = 0; i < count; i++) {
		if (module_symbol(images[i].module, f->name, &offset, &size) < 0)
			continue;
		if (sites_put(s, p, t, images[i].bias + offset, &act, err) < 0)
			return prefix_source(err, place);
		of(place)->sites += !of(place)->found;
		of(place)->found = true;
		return 0;
	}
	return 0;
}

static int place_event(struct run *s, struct run_process *p, struct tracee_thread *t,
		       struct place *place, const struct image *images, size_t count,
		       struct error *err)
{
	for (size_t i = 0; i < sizeof(event_functions) / sizeof(*event_functions); i++)
		if (event_functions[i].kind == place->kind &&
		    put_event(s, p, t, place, &event_functions[i], images, count, err) < 0)
			return -1;
	return 0;
}

/* The failure's code may be compiled into the program no more: the place is then never reached. */
static bool is_without_code(const struct run *s, struct place *place, enum source_answer answer,
			    const struct error *err)
{
	if (answer != SOURCE_NO_CODE || s->options->aim != AIM_FIXED)
		return false;
	base_free(of(place)->nearest);
	of(place)->nearest = base_strdup(err->text);
	return true;
}

/* The initial libraries are loaded. `strict`: a location found in none of them is an error;
   otherwise (in a later image, of a child for example) the place has no site there. */
static int settle_place(struct run *s, struct run_process *p, struct tracee_thread *t,
			struct place *place, bool strict, struct error *err)
{
	enum source_answer answer;

	if (place->retired)
		return 0;
	if (place_event(s, p, t, place, p->images.items, p->images.count, err) < 0)
		return -1;
	if (!of(place)->located)
		return 0;
	answer = locate(s, p, t, place, p->images.items, p->images.count, err);
	if (answer == SOURCE_FOUND || !strict || is_without_code(s, place, answer, err))
		return 0;
	if (answer == SOURCE_NOT_FOUND && of(place)->location.object &&
	    !images_have(p, of(place)->location.object))
		return 0; /* pending until its object is loaded */
	if (answer == SOURCE_NOT_FOUND)
		images_hint_script(s->options->argv[0], &of(place)->location, err);
	if (place->from_order && of(place)->location.kind == LOCATION_FUNC &&
	    answer == SOURCE_NOT_FOUND && !of(place)->location.briefly)
		faults_suggest_event(s, place, err);
	place_hint_spelling(place, err);
	return prefix_source(err, place);
}

int places_settle(struct run *s, struct run_process *p, struct tracee_thread *t, bool strict,
		  struct error *err)
{
	struct faults faults = {0};
	struct place *place;

	p->settled = true;
	observe_modules(s, MODULES_SETTLED, p, t, err);
	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++) {
		of(place)->location.briefly = place->companion_of
						      ? of(place->companion_of)->location.briefly
						      : !faults_tells_more(&faults);
		if (settle_place(s, p, t, place, strict, err) < 0 && !faults_add(&faults, err))
			return -1;
	}
	if (faults_end(&faults, err) < 0)
		return -1;
	return strict ? observe_modules(s, MODULES_PLACED, p, t, err) : 0;
}

static struct tracee_thread *stopped_in(struct run *s, const struct run_process *p)
{
	array_each(struct run_thread *, it, &s->threads)
		if ((*it)->process == p && (*it)->tracee && (*it)->tracee->state == TRACEE_STOPPED)
			return (*it)->tracee;
	return NULL;
}

static int add_prepared_place(struct run *s, struct place *place, struct error *err)
{
	if (prepare_place(s, place, err) < 0)
		return -1;
	array_each(struct run_process *, it, &s->processes) {
		struct run_process *p = *it;

		if (p->tracee && p->exe && p->settled &&
		    settle_place(s, p, stopped_in(s, p), place, p == s->root, err) < 0)
			return -1;
	}
	return 0;
}

int places_add(struct run *s, size_t first, struct error *err)
{
	struct faults faults = {0};
	struct place *place;

	for (size_t i = first; (place = engine_place_at(s->engine, i)); i++)
		if (add_prepared_place(s, place, err) < 0 && !faults_add(&faults, err))
			return -1;
	return faults_end(&faults, err);
}

void places_drop(struct run *s, struct place *place)
{
	if (!place->user)
		place->user = base_alloc(1, sizeof(struct run_place));
	if (!place->from_order)
		engine_drop(s->engine, place);
}

/* Resolves a place that names its object, if that is among the modules just loaded. */
static int locate_later(struct run *s, struct run_process *p, struct tracee_thread *t,
			struct place *place, const struct module_list *loaded, struct error *err)
{
	array_each(const struct image, image, loaded) {
		if (!module_matches(image->module, of(place)->location.object))
			continue;
		switch (locate(s, p, t, place, image, 1, err)) {
		case SOURCE_NO_CODE:
		case SOURCE_ERROR:
			return -1;
		case SOURCE_NOT_FOUND:
			if (p == s->root && !of(place)->found)
				return -1; /* misspelt, as at the start */
			base_free(of(place)->nearest);
			of(place)->nearest = base_strdup(err->text);
			break;
		case SOURCE_FOUND:
			break;
		}
	}
	return 0;
}

int places_loaded(struct run *s, struct run_process *p, struct tracee_thread *t,
		  const struct module_list *loaded, struct error *err)
{
	const struct modules_seen seen = {MODULES_OPENED, p, t, loaded->items, loaded->count};
	struct place *place;

	observe(modules, s, &seen, err);
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

/* ---- removal of sites ------------------------------------------------------------------------ */

void places_sweep(struct place *place)
{
	array_each(const struct placed, placed, &of(place)->placed)
		if (placed->process->tracee && placed->site->user && sites_idle(placed->site->user))
			tracee_site_remove(placed->process->tracee, placed->site);
}

/* Other places at the same sites keep their traps. */
void places_retire(struct run *s, struct place *place)
{
	struct run_place *sp = of(place);
	bool busy = false;

	place->retired = true;
	observe_until(busy, busy, s, place);
	if (busy) /* one of its statements has not ended */
		return;
	sp->ended = true;
	places_sweep(place);
	array_fini(&sp->placed);
}

static void free_place(struct place *place)
{
	struct run_place *sp = of(place);

	if (!sp)
		return;
	kept_fini(&sp->kept);
	location_fini(&sp->location);
	base_free(sp->nearest);
	for (size_t i = 0; i < sp->results.count; i++) {
		source_sites_fini(sp->results.items[i]);
		base_free(sp->results.items[i]);
	}
	array_fini(&sp->results);
	array_fini(&sp->placed);
	base_free(sp);
}

void places_free(struct run *s)
{
	struct place *place;

	for (size_t i = 0; s->engine && (place = engine_place_at(s->engine, i)); i++)
		free_place(place);
	for (size_t i = 0; i < s->uses.count; i++) {
		array_fini(&s->uses.items[i]->acts);
		base_free(s->uses.items[i]);
	}
	array_fini(&s->uses);
}
