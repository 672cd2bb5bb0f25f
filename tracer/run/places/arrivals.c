/* Hits of sites and events of the program become arrivals at places. */
#include "tracer/run/places/arrivals.h"
#include "tracer/run/places/places.h"
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/program.h"
#include "tracer/run/threads/threads.h"

#include <signal.h>
#include <string.h>

enum { NAME_LOOKS = 8 };

struct place_list {
	struct place **items;
	size_t count, capacity;
	ARRAY(struct arrival_spot) spots; /* one for each place, if any */
	bool differ;			  /* the places have other lines, functions or copies */
	enum source_site_kind at_return;
};

static bool is_spot(const struct arrival_spot *a, const struct arrival_spot *b)
{
	return a->line == b->line && a->file == b->file && a->func == b->func &&
	       a->scope == b->scope;
}

static void arrivals_add_place(struct place_list *list, const struct act *a)
{
	const struct source_site *info = a->info;

	*array_add(list) = a->place;
	*array_add(&list->spots) =
		info ? (struct arrival_spot){info->file, info->function, info->line, info->scope}
		     : (struct arrival_spot){0};
	if (!is_spot(&list->spots.items[0], &list->spots.items[list->spots.count - 1]))
		list->differ = true;
	if (info && info->kind >= SOURCE_RETURN)
		list->at_return = info->kind;
}

static void list_fini(struct place_list *list)
{
	array_fini(list);
	array_fini(&list->spots);
}

/* For the report: most threads name themselves when they begin, and never again. */
static void note_name(struct run *s, struct run_thread *t)
{
	if (s->options->reports.count && t->names_read < NAME_LOOKS) {
		t->names_read++;
		threads_name(s, t->engine);
	}
}

/* True if the thread was let go and nothing else happened: all its places are for other threads. */
static bool is_passed_by(const struct run *s, const struct run_thread *t)
{
	const struct decision *d;

	for (size_t i = 0; (d = engine_coming(s->engine, i)); i++)
		if (d->kind != DECISION_RELEASE || d->thread != t->engine)
			return false;
	return true;
}

/* Returns false if no place counts the arrival. */
static bool arrive(struct run *s, struct run_thread *t, struct place_list *places,
		   const struct source_site *info)
{
	const struct arrival at = {
		.thread = t->engine,
		.file = info ? info->file : NULL,
		.line = info ? info->line : 0,
		.func = info ? info->function : NULL,
		.scope = info ? info->scope : 0,
		.at = t,
		.spots = places->differ ? places->spots.items : NULL,
	};
	bool counts;

	program_forget(t);
	t->at_return = places->at_return;
	t->spot = (struct arrival_spot){at.file, at.func, at.line, at.scope};
	if (!places->count) {
		run_go(s, t);
		return true;
	}
	note_name(s, t);
	array_each(struct place *, place, places)
		observe(comes, s, t, *place);
	engine_arrive(s->engine, places->items, places->count, &at);
	counts = !is_passed_by(s, t);
	apply_releases(s);
	array_each(struct place *, place, places)
		observe(arrival, s, t, *place);
	return counts;
}

/* Reading registers costs a system call. */
static bool needs_registers(const struct site_use *use)
{
	array_each(const struct act, a, &use->acts)
		if (a->owner == &arrival_owner ? a->info && a->info->check_target
					       : !a->owner->no_registers)
			return true;
	return false;
}

bool arrivals_site(struct run *s, struct run_thread *t, struct tracee_site *site)
{
	struct hit hit = {.thread = t, .site = site, .address = site->addr};
	struct site_use *use = site->user;
	struct place_list places = {0};
	const struct source_site *info = NULL;
	bool taken = false, counts = true;

	inside_hit(s, t, site);
	if (use && needs_registers(use) && tracee_regs(t->tracee, &hit.regs) < 0)
		use = NULL; /* the thread is dying */
	for (size_t i = 0; use && i < use->acts.count; i++) {
		const struct act a = use->acts.items[i];
		enum hit_answer answer;

		if (a.place && a.place->retired && !a.owner->outlives)
			continue;
		answer = a.owner->hit(s, &a, &hit);
		taken |= answer == HIT_TAKEN;
		if (answer != HIT_ARRIVAL)
			continue;
		arrivals_add_place(&places, &a);
		info = info ? info : a.info;
	}
	if (!taken)
		counts = arrive(s, t, &places, info);
	list_fini(&places);
	return counts;
}

static bool arrivals_wants(const struct place *place, enum place_kind kind, int signal)
{
	return place->kind == kind && !place->retired &&
	       (kind != PLACE_SIGNAL || !place->signal || place->signal == signal);
}

void arrivals_event(struct run *s, struct run_thread *t, enum place_kind kind, int signal)
{
	struct place_list places = {0};
	struct place *place;

	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++)
		if (arrivals_wants(place, kind, signal))
			*array_add(&places) = place;
	arrive(s, t, &places, NULL);
	list_fini(&places);
}

void arrivals_load(struct run *s, struct run_thread *t, const struct module_list *loaded)
{
	struct place_list places = {0};
	struct place *place;

	array_each(const struct image, image, loaded) {
		for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++)
			if (arrivals_wants(place, PLACE_LOAD, 0) &&
			    (!place->object || module_matches(image->module, place->object)))
				*array_add(&places) = place;
	}
	arrive(s, t, &places, NULL);
	list_fini(&places);
}
